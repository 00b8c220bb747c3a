/**
 * Checks the exchanges that k6 passed on against the specification, once the load is over: nothing of it takes CPU from the
 * load. Until then they are kept in memory, within a bound that k6 keeps.
 */

import { join } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Progress } from "../../cli/console.mjs";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { selectPassive } from "../../conformance/engine/clause-selection.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { fileSink } from "../../conformance/engine/run-files.ts";
import type { Connection } from "../../conformance/engine/target-connection.ts";
import { TrafficRun } from "../../conformance/engine/traffic-run.ts";
import { writtenForm } from "../../conformance/engine/written-exchange.ts";
import { exchangeLine } from "../../formats/exchanges.ts";
import { FILES } from "../../formats/file-names.ts";
import { formatNumber } from "../../reports/numbers.ts";
import { SCENARIOS } from "../../scenarios/scenario-list.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import type { LoadPlan } from "./plan-load.ts";

/** The last line of k6: how many exchanges it sampled, and how many of them it could not pass on. */
const counts = z.object({ taken: z.int(), dropped: z.int() });
const line = z.union([exchangeLine, counts]);

/**
 * Whether a load can have video tasks, whose exchanges are all checked: they are few, and their ends are what was paid for.
 * What a user's own scenario sends is not known.
 */
export const canHaveVideo = ({ scenario, settings: { workload } }: Pick<LoadPlan, "scenario" | "settings">): boolean =>
  workload?.workloads.some(({ operation = "video" }) => operation === "video") ??
  (scenario === "video" || !Object.hasOwn(SCENARIOS, scenario));

/** What k6 passes on during a load. */
export interface Sample {
  /** Resolves when k6 has closed its end; the lines are whole then. */
  readonly ended: Promise<void>;
  readonly lines: () => Iterable<string>;
}

/** Keeps what k6 passes on. */
export function keepSample(pipe: Readable): Sample {
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    pipe.on("data", (chunk: Buffer) => chunks.push(chunk));
    pipe.once("close", resolve);
    // A k6 that was killed leaves a line without its end, which is left out.
    pipe.once("error", () => resolve());
  });
  return { ended, lines: () => linesIn(chunks) };
}

/** The whole lines of a text that comes in parts, which are released as they are read. */
function* linesIn(chunks: Buffer[]): Generator<string> {
  let rest: Buffer[] = [];
  for (const [index, chunk] of chunks.entries()) {
    chunks[index] = Buffer.alloc(0);
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]).toString("utf8");
      rest = [];
      from = end + 1;
    }
    rest.push(chunk.subarray(from));
  }
}
const LINE_END = 10;

interface CheckOptions {
  /** Result folder of the load; what is checked goes into a folder within it. */
  readonly folder: string;
  readonly target: string;
  /** Share of the arrivals that were sampled. */
  readonly share: number;
  /** Whether all video tasks were. */
  readonly videoTasks: boolean;
  readonly startedAt: string;
  readonly connections: readonly Connection[];
  /** Ends the check early: what is left is counted as unchecked. */
  readonly leave: AbortSignal;
  readonly progress: Pick<Progress, "show" | "end">;
}

/** Exchanges that are checked between two looks at what the user wants. */
const AT_ONCE = 50;

/**
 * Checks a sample, and writes its exchanges and verdicts.
 * @throws UsageError when they cannot be written
 */
export async function checkSample(
  sample: Sample,
  { folder, target, share, videoTasks, startedAt, connections, leave, progress }: CheckOptions,
): Promise<void> {
  const clauses = await loadClauses();
  const selections = selectPassive(clauses, { profile: "service" });
  const baseline = readBaseline(undefined, clauses);
  let failure: unknown;
  const checked = join(folder, FILES.check);
  // Its files are not there before there is something to check.
  const begin = (): TrafficRun => {
    const sink = fileSink(checked, (error) => {
      failure ??= error;
    });
    const settings = { share, ...(videoTasks && { videoTasks }) };
    sink.begin({ run: { target, settings }, startedAt, selections, baseline, traffic: true });
    return new TrafficRun({
      ...{ selections, baseline, sink, redactBodies: false, startedAt },
      form: writtenForm(...connections),
      violated: () => undefined,
    });
  };
  let run: TrafficRun | undefined;
  let added = 0;
  let taken: number | undefined;
  await sample.ended;
  for (const text of sample.lines()) {
    const parsed = line.parse(JSON.parse(text));
    if ("taken" in parsed) taken = parsed.taken;
    else if (!leave.aborted) {
      run ??= begin();
      run.add(parsed);
      added += 1;
    }
    if (added % AT_ONCE > 0) continue;
    progress.show(`checking the sample against the specification: ${formatNumber(added)} exchanges`);
    await setImmediate();
  }
  progress.end();
  // A load without video tasks, of which no share was asked for, has nothing to check.
  if (run === undefined && share === 0 && !taken) return;
  run ??= begin();
  run.end(Math.max(0, (taken ?? added) - added));
  if (failure !== undefined) {
    throw new UsageError(
      `Cannot write the checked exchanges to ${checked}: ${reasonOf(failure)}. The records of the load are saved in ${folder}. Free space on its disk, and run it again.`,
    );
  }
}
