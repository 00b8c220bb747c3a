/** Where a run's records go as they happen: nowhere, or line by line into the files of a result folder. */

import { appendFileSync, closeSync, ftruncateSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { EXCHANGES_SCHEMA, type Exchange } from "../../formats/exchanges.ts";
import { FILES } from "../../formats/file-names.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import {
  type Basis,
  type Interference,
  type Outage,
  type TrafficCounts,
  VERDICTS_SCHEMA,
} from "../../formats/verdicts.ts";
import type { UnknownObject } from "../../lib/json.ts";
import { openOwnFile } from "../../lib/own-files.ts";
import type { Clause } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { statementsOf } from "../model/ledger-links.ts";
import type { Baseline } from "./baseline.ts";
import type { Selection } from "./clause-selection.ts";

/** What a run begins with. */
interface Start {
  /** Target and settings, as they are written: without secrets. */
  readonly run: UnknownObject;
  /** The exchanges are those of others. */
  readonly traffic?: true;
  readonly startedAt: string;
  readonly selections: readonly Selection[];
  readonly baseline: Baseline;
}

export interface Sink {
  readonly begin: (start: Start) => void;
  readonly exchange: (exchange: Exchange) => void;
  /** What a clause comes to as far as is known: on its own probe, and again when another exchange violates it. */
  readonly provisional?: (clause: Clause, verdict: ClauseVerdict) => void;
  readonly verdict: (clause: Clause, verdict: ClauseVerdict) => void;
  readonly task: (event: TaskEvent) => void;
  /** How many video tasks wait for their next poll, and when the first of these polls is due, by `performance.now()`. */
  readonly waiting?: (tasks: number, nextPollMs: number) => void;
  /** Takes what the verdicts rest on, and what is out of date about the baseline, one sentence per entry; nothing when the run was stopped. */
  readonly end: (end?: {
    readonly staleBaseline: readonly string[];
    readonly basis: Basis;
    /** Why the run ended before all was checked. */
    readonly ended?: string;
    readonly outages?: readonly Outage[];
    readonly interference?: Interference;
    readonly traffic?: TrafficCounts;
  }) => void;
}

const nothing = (): void => undefined;
export const silentSink: Sink = { begin: nothing, exchange: nothing, verdict: nothing, task: nothing, end: nothing };

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

/** Bytes that a line takes in its file. */
export const lineBytes = (value: object): number => Buffer.byteLength(lineOf(value));

const packageFile = z.object({ version: z.string() });

/**
 * Writes `exchanges.jsonl`, `verdicts.jsonl` and `tasks.jsonl` into a folder; each line as it happens.
 * @param failed called with the reason when a line cannot be written; nothing more is written to that file
 * @throws Error of the system when a file cannot be created
 */
export function fileSink(folder: string, failed: (error: unknown) => void): Sink {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const exchanges = emptied(join(folder, FILES.exchanges));
  const verdicts = emptied(join(folder, FILES.verdicts));
  const tasks = emptied(join(folder, FILES.tasks));
  const broken = new Set<number>();
  const line = (file: number, value: object): void => {
    if (broken.has(file)) return;
    try {
      appendFileSync(file, lineOf(value));
    } catch (error) {
      broken.add(file);
      failed(error);
    }
  };
  const now = (): string => new Date().toISOString();
  return {
    begin: ({ run, startedAt, selections, baseline, traffic }) => {
      const shared = { ...run, startedAt, tool: tool() };
      line(exchanges, { schema: EXCHANGES_SCHEMA, ...shared });
      const clauses = selections.map(entryOf);
      line(verdicts, { schema: VERDICTS_SCHEMA, ...shared, ...(traffic && { traffic }), baseline, clauses });
    },
    exchange: (exchange) => line(exchanges, exchange),
    verdict: ({ id, area, level, text, rows }, verdict) =>
      line(verdicts, { id, area, level, text, specification: statementsOf(rows), ...verdict, at: now() }),
    task: (event) => line(tasks, { at: now(), ...event }),
    end: (end) => {
      if (end !== undefined) line(verdicts, { finishedAt: now(), ...end });
      for (const file of [exchanges, verdicts, tasks]) closeSync(file);
    },
  };
}

/** Opens a file without what an earlier run wrote: `ASSAY_OUT` may name the same folder again. */
function emptied(path: string): number {
  const file = openOwnFile(path);
  ftruncateSync(file);
  return file;
}

const entryOf = ({ clause: { id, area, level, text, rows }, selected, reason }: Selection) => ({
  id,
  area,
  level,
  text,
  specification: statementsOf(rows),
  selected,
  ...(reason !== undefined && { reason }),
});

function tool(): { name: string; version: string } {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return { name: "assay", version: packageFile.parse(JSON.parse(file)).version };
}
