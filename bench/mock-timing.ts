/**
 * Timing errors of the mock, and its CPU time per chunk. The load comes from k6 with Assay's extension, whose results the
 * mock serves to verify: a client in node would be less punctual than the mock.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { wholeLines } from "../cli/file-lines.ts";
import { PATHS } from "../contract/service.ts";
import { FILES } from "../formats/file-names.ts";
import { groundTruthTimes } from "../formats/ground-truth.ts";
import { kindOfLine, requestRecord } from "../formats/records.ts";
import { runScenario } from "./assay-loads.ts";
import { repeat, runsLabel, say, spread } from "./bench-output.ts";
import { ServerProcess } from "./server-process.ts";
import { readStream, requestBytes } from "./socket-clients.ts";
import { type TimingErrors, timingErrorsOf } from "./timing-errors.ts";

const ITL_MS = 20;
const CHUNKS = 300;
const WARM_UP = { streams: 400, chunks: 50 };
/** Concurrent streams, the seconds within which they start, and the number of runs. */
const STEPS = [
  { streams: 400, startS: 3, runs: 5 },
  { streams: 400, startS: 1, runs: 3 },
  { streams: 800, startS: 3, runs: 3 },
  { streams: 1600, startS: 3, runs: 3 },
];

const groundTruth = z.object({ rows: z.array(groundTruthTimes) });

/** Who recorded the times, and how that is printed. */
const SIDES = [
  ["mock", "ground truth"],
  ["client", "load generator"],
] as const;

interface Run {
  /** CPU time of the mock's whole process per chunk, its threads included, in microseconds. */
  readonly cpuUs: number;
  readonly mock: TimingErrors;
  readonly client: TimingErrors;
}

/** Prints the results of each step. */
export async function benchTiming(): Promise<void> {
  say(
    `streams of ${1000 / ITL_MS} chunks/s, ${(CHUNKS * ITL_MS) / 1000} s; errors in ms; load generator: k6 with Assay's extension`,
  );
  for (const { streams, startS, runs } of STEPS) {
    const results = await repeat(runs, () => measure(streams, startS));
    const text = (read: (run: Run) => number, decimals = 1): string => spread(results.map(read), decimals);
    say(
      `  ${streams} streams, started within ${startS} s; ${runsLabel(runs)}; CPU per chunk ${text(({ cpuUs }) => cpuUs)} us`,
    );
    for (const [side, label] of SIDES) {
      say(
        `    ${label}: gap error p50 ${text((run) => run[side].gapP50, 2)}, p99 ${text((run) => run[side].gapP99)}, ` +
          `max ${text((run) => run[side].gapMax)}; ` +
          `drift p99 ${text((run) => run[side].driftP99)}, max ${text((run) => run[side].driftMax)}`,
      );
    }
  }
}

async function measure(streams: number, startS: number): Promise<Run> {
  const options = { ttftMs: 100, itlMs: ITL_MS, outputTokens: CHUNKS };
  const server = await ServerProcess.start({ kind: "mock", options });
  await warmUp(server.port);
  const before = await server.cpuUs();
  const received = await load(server.port, streams, startS);
  const used = (await server.cpuUs()) - before;
  const { rows } = groundTruth.parse(await server.inspect("ledger"));
  await server.stop();
  const written = rows.map(({ actual_ms }) => actual_ms).filter(({ length }) => length === CHUNKS);
  if (written.length !== streams || received.length !== streams) {
    throw new Error(
      `Cannot measure ${streams} streams: ${written.length} were written and ${received.length} received completely.`,
    );
  }
  const mock = timingErrorsOf(written, ITL_MS);
  return { cpuUs: used / mock.chunks, mock, client: timingErrorsOf(received, ITL_MS) };
}

/** Short streams first, so that the time in which node compiles the code is not measured. */
async function warmUp(port: number): Promise<void> {
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }], stream: true, max_tokens: WARM_UP.chunks };
  await Promise.all(Array.from({ length: WARM_UP.streams }, () => readStream(port, requestBytes(PATHS.chat, body))));
}

/** Loads the mock; returns the times of the chunks of each complete stream, from its first. */
async function load(port: number, streams: number, startS: number): Promise<number[][]> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
  const flags = {
    target: `http://127.0.0.1:${port}`,
    rate: String(streams / startS),
    duration: `${startS}s`,
    warmup: "0s",
    maxInFlight: String(streams + 10),
    maxTokens: String(CHUNKS),
  };
  try {
    await runScenario("chat-stream", flags, folder);
    const [, ...records] = wholeLines(join(folder, FILES.records));
    return records
      .map((line): unknown => JSON.parse(line))
      .filter((line) => kindOfLine(line) === "request")
      .map((line) => requestRecord.parse(line))
      .filter(({ outcome, gaps_us }) => outcome === "ok" && gaps_us?.length === CHUNKS - 1)
      .map(({ gaps_us = [] }) => {
        let at = 0;
        return [0, ...gaps_us.map((gap) => (at += gap / 1000))];
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
