/** The result of a made-up load run, for tests that look at one part of it. */

import type { RunResult } from "../../../formats/run.ts";
import type { Shard } from "../../../reports/load/read/shards.ts";
import { DEFAULT_SLOS } from "../../../settings/load/load-table.ts";
import { makeRun, type RunOptions } from "./load-run.ts";
import { summarizeLoad } from "./summarize-shards.ts";

interface Objectives {
  readonly slos?: readonly string[];
  readonly scenario?: string;
  readonly isMerged?: boolean;
}

const BASE = { target: "http://t", shape: "20/s", tool: "assay" };

export const summarize = (
  shards: readonly Shard[],
  { slos = DEFAULT_SLOS, scenario = "chat-stream", ...more }: Objectives = {},
): Promise<RunResult> => summarizeLoad({ ...BASE, scenario, slos, shards, ...more });

export const summarizeRun = (options: RunOptions = {}, objectives: Objectives = {}): Promise<RunResult> =>
  summarize([makeRun(options)], objectives);
