/**
 * Disturbs the load generator in every way that a machine does, and compares each decided objective with the truth: what the
 * server itself recorded of the same requests. The bounds lie closely around what the server plans.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { linesOf } from "../cli/file-lines.ts";
import { FILES } from "../formats/file-names.ts";
import { groundTruthTimes } from "../formats/ground-truth.ts";
import { kindOfLine, requestRecord } from "../formats/records.ts";
import type { RunResult } from "../formats/run.ts";
import { randomOf } from "../mock-server/base/seeded-random.ts";
import { readLines } from "../reports/json-lines.ts";
import { FloatVector } from "../reports/load/stats/float-vector.ts";
import { quantile } from "../reports/load/stats/quantiles.ts";
import { loadResultOf } from "../runs/views/load-views.ts";
import { k6Writing } from "../tests/support/commands/running-processes.ts";
import { runScenario, withGo } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { say } from "./bench-output.ts";

/** The streams of the server: 100 ms to the first of 25 chunks, then one every 20 ms. */
const TOKENS = 25;
const SECONDS = 4;
const FLAGS = { rate: "50", warmup: "0", duration: `${SECONDS}s`, maxInFlight: "80", noDefaultSlos: "true" };

/** Bounds in milliseconds: what is decided against them must be true. */
const BOUNDS: Readonly<Record<string, readonly number[]>> = {
  ttft_p50: [90, 98, 103, 120],
  ttft_p95: [80, 97, 104, 110, 150, 400],
  icl_p50: [15, 19, 21, 30],
  icl_p95: [15, 19, 22, 25, 40, 200],
  e2e_p50: [500, 570, 590, 700],
  e2e_p95: [500, 570, 590, 640, 1_000, 3_000],
};
const SLO = Object.entries(BOUNDS).flatMap(([metric, bounds]) => bounds.map((bound) => `${metric}<${bound}ms`));

/** Something that a machine does to the load generator. */
interface Disturbance {
  readonly name: string;
  readonly go?: Readonly<Record<string, string>>;
  /** Disturbs k6 until `over`. */
  readonly disturb: (k6: number, random: () => number, over: AbortSignal) => Promise<void>;
}

const ignored = (): void => undefined;

/** Does something to a process or a thread that may have ended meanwhile. */
function unlessEnded(act: () => void): void {
  try {
    act();
  } catch (error) {
    const isGone = error instanceof Error && /ESRCH/.test(error.message);
    if (!isGone) throw error;
  }
}

/** Stops the process so many times for so long, in milliseconds, at random moments of the load. */
async function stopFor(k6: number, lengths: readonly number[], random: () => number, over: AbortSignal): Promise<void> {
  const pauses = lengths.map(() => random());
  const sum = pauses.reduce((a, b) => a + b, 0) + random();
  const free = Math.max(0, SECONDS * 1_000 - lengths.reduce((a, b) => a + b, 0));
  for (const [index, length] of lengths.entries()) {
    await wait((free * (pauses[index] ?? 0)) / sum, undefined, { signal: over });
    unlessEnded(() => process.kill(k6, "SIGSTOP"));
    try {
      await wait(length);
    } finally {
      unlessEnded(() => process.kill(k6, "SIGCONT"));
    }
  }
}

/** Keeps the core of the load generator busy with so many processes. */
async function hogs(count: number, over: AbortSignal): Promise<void> {
  const running: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ["-e", "for(;;);"], { stdio: "ignore" }),
  );
  await wait(60_000, undefined, { signal: over }).catch(ignored);
  for (const hog of running) hog.kill("SIGKILL");
}

/**
 * Each thread has a nice level of its own; those that are started later take that of the one that starts them. Where the kernel
 * groups processes by session, a level counts within the session only, and k6 has one of its own: the group takes the level too.
 */
function niced(k6: number, level: number): void {
  for (const thread of readdirSync(`/proc/${k6}/task`)) unlessEnded(() => setPriority(Number(thread), level));
  const group = `/proc/${k6}/autogroup`;
  if (existsSync(group)) unlessEnded(() => writeFileSync(group, String(level)));
}

const DISTURBANCES: readonly Disturbance[] = [
  { name: "none", disturb: async () => undefined },
  {
    name: "stopped once, 50 ms to 3 s",
    disturb: (k6, random, over) => stopFor(k6, [50 + 2_950 * random()], random, over),
  },
  {
    name: "stopped 3 to 8 times, 20 to 400 ms",
    disturb: (k6, random, over) =>
      stopFor(
        k6,
        Array.from({ length: 3 + Math.floor(6 * random()) }, () => 20 + 380 * random()),
        random,
        over,
      ),
  },
  ...[1, 2, 3, 4].map((count) => ({
    name: `${count} busy processes on its core`,
    disturb: (_k6: number, _random: () => number, over: AbortSignal) => hogs(count, over),
  })),
  ...[10, 19].map((level) => ({
    name: `2 busy processes, load generator at nice ${level}`,
    disturb: (k6: number, _random: () => number, over: AbortSignal) => {
      niced(k6, level);
      return hogs(2, over);
    },
  })),
  { name: "a heap of 24 MB at most", go: { GOMEMLIMIT: "24MiB", GOGC: "1" }, disturb: async () => undefined },
];

/** What the objectives of one run say, and whether the truth contradicts it. */
interface Judged {
  readonly verdict: string;
  readonly decided: number;
  readonly undecided: number;
  readonly contradicted: readonly string[];
}

/** Disturbed loads, every disturbance in turn; prints a table. @param rounds how many loads of each */
export async function benchDisturbed(context: BenchContext, rounds: number): Promise<void> {
  say(`\nobjectives of disturbed loads against the truth; ${rounds} loads of each kind, ${SLO.length} objectives each`);
  const random = randomOf(1);
  const results = new Map<string, Judged[]>(DISTURBANCES.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const disturbance of DISTURBANCES) {
      const judged = await disturbedLoad(context, disturbance, random);
      results.get(disturbance.name)?.push(judged);
      for (const sentence of judged.contradicted) say(`  CONTRADICTED (${disturbance.name}): ${sentence}`);
    }
  }
  say("| disturbance | loads | CLIENT-LIMITED | decided | undecided | contradicted |");
  say("| --- | --- | --- | --- | --- | --- |");
  for (const [name, all] of results) {
    const sum = (read: (one: Judged) => number): number => all.reduce((total, one) => total + read(one), 0);
    const limited = all.filter(({ verdict }) => verdict === "CLIENT-LIMITED").length;
    say(
      `| ${name} | ${all.length} | ${limited} | ${sum(({ decided }) => decided)} | ${sum(({ undecided }) => undecided)} | ${sum(({ contradicted }) => contradicted.length)} |`,
    );
  }
}

async function disturbedLoad(context: BenchContext, disturbance: Disturbance, random: () => number): Promise<Judged> {
  const server = await context.serve({ tokens: TOKENS });
  const folder = context.newFolder("disturbed");
  const over = new AbortController();
  const load = withGo(disturbance.go ?? {}, () =>
    runScenario("chat-stream", { target: server.url, ...FLAGS, maxTokens: String(TOKENS), slo: SLO.join() }, folder),
  ).finally(() => over.abort());
  const disturbed = firstLine(folder, over.signal)
    .then(() => disturbance.disturb(k6Writing(folder), random, over.signal))
    .catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
  await Promise.all([load, disturbed]);
  return judge(await loadResultOf([folder]), await truthOf(folder, await server.stop()));
}

/** Resolves when the load generator has written its first line, which it does each second. */
async function firstLine(folder: string, over: AbortSignal): Promise<void> {
  const file = join(folder, FILES.client);
  while (!existsSync(file) || statSync(file).size === 0) await wait(20, undefined, { signal: over });
}

/** The values of each metric of the measured requests, as the server recorded them: sorted, in milliseconds. */
async function truthOf(folder: string, ledger: string): Promise<Readonly<Record<string, Float64Array>>> {
  const measured = new Set<string>();
  await readLines(FILES.records, linesOf(join(folder, FILES.records)), (value) => {
    if (kindOfLine(value) !== "request") return;
    const { phase, id } = requestRecord.parse(value);
    if (phase === "measure") measured.add(id);
  });
  const truth = { ttft: new FloatVector(), icl: new FloatVector(), e2e: new FloatVector() };
  await readLines("ledger.jsonl", linesOf(ledger), (value) => {
    const { id, actual_ms: at } = groundTruthTimes.parse(value);
    if (!measured.has(id) || at.length < TOKENS) return;
    truth.ttft.push(at[0] ?? Number.NaN);
    truth.e2e.push(at.at(-1) ?? Number.NaN);
    for (const [index, time] of at.slice(1).entries()) truth.icl.push(time - (at[index] ?? Number.NaN));
  });
  return Object.fromEntries(Object.entries(truth).map(([name, values]) => [name, values.sorted()]));
}

/** From the write of the server to the read of an undisturbed client, in milliseconds: within it a bound is neither true nor false. */
const ON_THE_WAY_MS = 1;

function judge({ validity, slos }: RunResult, truth: Readonly<Record<string, Float64Array>>): Judged {
  const contradicted = slos.flatMap(({ expr, ok, note }) => {
    const [, metric = "", percentile = "", bound = ""] = /^(\w+)_p(\d+)<(\d+)ms$/.exec(expr) ?? [];
    const values = truth[metric];
    if (ok === null || values === undefined || values.length === 0) return [];
    const over = quantile(values, Number(percentile) * 10) - Number(bound);
    const isWrong = ok ? over > ON_THE_WAY_MS : over < -ON_THE_WAY_MS;
    return isWrong
      ? [`${expr} ${ok ? "met" : "missed"}, truth ${(over + Number(bound)).toFixed(1)} ms; ${note ?? ""}`]
      : [];
  });
  const decided = slos.filter(({ ok }) => ok !== null).length;
  return { verdict: validity.verdict, decided, undecided: slos.length - decided, contradicted };
}
