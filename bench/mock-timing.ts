/**
 * How well the mock keeps time, and what a chunk costs it. The load comes from k6 with Assay's extension, which is what
 * the mock grades: a client in node would be later than the mock.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { PATHS } from "../contract/service.ts";
import { FILES } from "../formats/file-names.ts";
import { linesOf } from "../scripts/cli/file-lines.ts";
import { planLoad, runLoad } from "../scripts/load/run-load.ts";
import { SILENT } from "./assay-loads.ts";
import { say, spread } from "./bench-output.ts";
import { Child } from "./server-process.ts";
import { requestBytes, stream } from "./socket-clients.ts";
import { type Punctuality, punctualityOf } from "./timing-errors.ts";

const ITL_MS = 20;
const CHUNKS = 300;
const WARM_UP = { streams: 400, chunks: 50 };
/** Streams at once, the seconds within which they begin, and how often that is measured. */
const STEPS = [
  { streams: 400, beginS: 3, runs: 5 },
  { streams: 400, beginS: 1, runs: 3 },
  { streams: 800, beginS: 3, runs: 3 },
  { streams: 1600, beginS: 3, runs: 3 },
];

const ledger = z.object({ rows: z.array(z.object({ id: z.string(), actual_ms: z.array(z.number()) })) });
const record = z.object({ outcome: z.string().optional(), gaps_us: z.array(z.number()).optional() });

interface Run {
  /** CPU of the mock's whole process, threads of its own included, over its chunks: in microseconds. */
  readonly cpuUs: number;
  readonly ledger: Punctuality;
  readonly client: Punctuality;
}

/** Prints a line a step. */
export async function timing(): Promise<void> {
  say(`streams of ${1000 / ITL_MS} chunks/s, ${(CHUNKS * ITL_MS) / 1000} s; errors in ms`);
  say("  the client is k6 with Assay's extension; of several runs: the middle one (the smallest to the largest)");
  for (const { streams, beginS, runs } of STEPS) {
    const seen: Run[] = [];
    for (let run = 0; run < runs; run++) seen.push(await measured(streams, beginS));
    say(
      `  ${streams} streams, begun within ${beginS} s, ${runs} ${runs === 1 ? "run" : "runs"}: CPU a chunk ${of(seen, ({ cpuUs }) => cpuUs)} us`,
    );
    for (const who of ["ledger", "client"] as const) {
      say(
        `    ${who}: gap error p50 ${of(seen, (run) => run[who].gapP50, 2)}, p99 ${of(seen, (run) => run[who].gapP99)}, ` +
          `max ${of(seen, (run) => run[who].gapMax)}; ` +
          `drift p99 ${of(seen, (run) => run[who].driftP99)}, max ${of(seen, (run) => run[who].driftMax)}`,
      );
    }
  }
}

const of = (runs: readonly Run[], figure: (run: Run) => number, decimals = 1): string =>
  spread(runs.map(figure), decimals);

async function measured(streams: number, beginS: number): Promise<Run> {
  const child = await Child.start({ kind: "mock", options: { ttftMs: 100, itlMs: ITL_MS, outputTokens: CHUNKS } });
  await warmUp(child.port);
  const before = await child.cpuUs();
  const client = await load(child.port, streams, beginS);
  const used = (await child.cpuUs()) - before;
  const { rows } = ledger.parse(await (await fetch(`http://127.0.0.1:${child.port}/_mock/ledger`)).json());
  await child.stop();
  const written = rows.map(({ actual_ms }) => actual_ms).filter(({ length }) => length === CHUNKS);
  if (written.length !== streams || client.length !== streams) {
    throw new Error(`Cannot measure ${streams} streams: ${written.length} were written, ${client.length} read whole.`);
  }
  const wrote = punctualityOf(written, ITL_MS);
  return { cpuUs: used / wrote.chunks, ledger: wrote, client: punctualityOf(client, ITL_MS) };
}

/** Short streams first: what node compiles on its first run is not what is measured. */
async function warmUp(port: number): Promise<void> {
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }], stream: true, max_tokens: WARM_UP.chunks };
  await Promise.all(Array.from({ length: WARM_UP.streams }, () => stream(port, requestBytes(PATHS.chat, body))));
}

/** Loads the mock; gives the times at which the chunks of each stream came, from its first. */
async function load(port: number, streams: number, beginS: number): Promise<number[][]> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
  const flags = {
    target: `http://127.0.0.1:${port}`,
    rate: String(streams / beginS),
    duration: `${beginS}s`,
    warmup: "0s",
    maxInFlight: String(streams + 10),
    maxTokens: String(CHUNKS),
  };
  try {
    await runLoad(planLoad("chat-stream", flags, { env: {} }), folder, SILENT);
    const seen: number[][] = [];
    for await (const line of linesOf(join(folder, FILES.records))) {
      const { outcome, gaps_us = [] } = record.parse(JSON.parse(line));
      if (outcome !== "ok" || gaps_us.length !== CHUNKS - 1) continue;
      let at = 0;
      seen.push([0, ...gaps_us.map((gap) => (at += gap / 1000))]);
    }
    return seen;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
