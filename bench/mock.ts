/**
 * Figures of the mock: how well it keeps time, how fast it answers, what it keeps in memory. Prints and judges nothing.
 * `npm run bench:mock [-- --requests N]`, where N (default 1,000,000) is how many requests the heap is watched over.
 */

import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import { PATHS } from "../contract/service.ts";
import { Child, pinned } from "./child.ts";
import { hammer, kill, requestBytes, stream } from "./clients.ts";

const STREAMS = 400;
const ITL_MS = 20;
const CHUNKS = 300;
const RATE_REQUESTS = 60_000;
const TASKS = 10_000;
const KILLS = 1000;

const CHAT = { model: "m", messages: [{ role: "user", content: "How are you?" }] };
const STREAMED = { ...CHAT, stream: true };
const MIB = 1 << 20;
const rows = z.object({
  rows: z.array(z.object({ planned_ms: z.array(z.number()), actual_ms: z.array(z.number()) })),
});
const counts = z.object({
  streams: z.object({ left: z.int() }),
  openStreams: z.int(),
  due: z.int(),
  tasks: z.object({ processing: z.int() }),
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const control = async (port: number, action: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}/_mock/${action}`)).json();

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN).toFixed(2);
}
const spread = (values: readonly number[]): string =>
  `p50 ${quantile(values, 0.5)} ms, p99 ${quantile(values, 0.99)} ms, max ${quantile(values, 1)} ms`;
const gapsOf = (at: readonly number[]): number[] => at.slice(1).map((time, i) => time - (at[i] ?? time));
const gapErrors = (all: readonly (readonly number[])[]): number[] =>
  all.flatMap((at) => gapsOf(at).map((gap) => Math.abs(gap - ITL_MS)));
/** How much longer a stream took from its first chunk to its last than it should have. */
const drifts = (all: readonly (readonly number[])[]): number[] =>
  all.map((at) => Math.abs((at.at(-1) ?? 0) - (at[0] ?? 0) - (at.length - 1) * ITL_MS));

async function timing(): Promise<void> {
  const options = { ttftMs: 100, itlMs: ITL_MS, outputTokens: CHUNKS };
  const child = await Child.start({ kind: "mock", options });
  // A second of short streams first: what node compiles on its first run is not what is measured.
  await Promise.all(
    Array.from({ length: STREAMS }, () =>
      stream(child.port, requestBytes(PATHS.chat, { ...STREAMED, max_tokens: 50 })),
    ),
  );
  const seen = await Promise.all(
    Array.from({ length: STREAMS }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, (i * 1000) / STREAMS));
      return stream(child.port, requestBytes(PATHS.chat, STREAMED, `s-${i}`));
    }),
  );
  const ledger = rows
    .parse(await control(child.port, "ledger"))
    .rows.map(({ actual_ms }) => actual_ms)
    .filter(({ length }) => length === CHUNKS);
  await child.stop();
  say(
    `${STREAMS} streams, ${1000 / ITL_MS} chunks/s each, ${(CHUNKS * ITL_MS) / 1000} s, begun within a second, after a warm-up`,
  );
  for (const [who, all] of [["ledger", ledger] as const, ["client", seen] as const]) {
    say(`  ${who}: ${all.flat().length} chunks; gap error ${spread(gapErrors(all))}; drift ${spread(drifts(all))}`);
  }
}

async function speed(): Promise<void> {
  const request = requestBytes(PATHS.chat, CHAT);
  const rates = { bare: 0, mock: 0 };
  for (const kind of ["bare", "mock"] as const) {
    const child = await Child.start(kind === "bare" ? { kind } : { kind, options: { timing: "instant" } });
    await hammer(child.port, request, RATE_REQUESTS / 6);
    rates[kind] = await hammer(child.port, request, RATE_REQUESTS);
    await child.stop();
  }
  say(`whole chat answers on one core, ${RATE_REQUESTS.toLocaleString("en")} requests over 32 connections`);
  say(
    `  mock ${Math.round(rates.mock)}/s; bare node:http ${Math.round(rates.bare)}/s; ` +
      `ratio ${(rates.mock / rates.bare).toFixed(2)}`,
  );
}

async function heap(requests: number): Promise<void> {
  const child = await Child.start({ kind: "mock", options: { timing: "instant" } });
  const request = requestBytes(PATHS.chat, CHAT);
  // The ledger keeps 20,000 rows: growth counts from when it is full.
  await hammer(child.port, request, 40_000);
  const before = await child.health();
  await hammer(child.port, request, requests);
  const after = await child.health();
  await child.stop();
  say(
    `heap after ${requests.toLocaleString("en")} requests: ${mib(after.heapBytes - before.heapBytes)} more than before`,
  );
}

async function tasks(): Promise<void> {
  const child = await Child.start({ kind: "mock", options: { timing: "instant", workMs: 3_600_000 } });
  const before = await child.health();
  await hammer(child.port, requestBytes(PATHS.videos, { model: "m", prompt: "A river in the morning." }), TASKS);
  const after = await child.health();
  const open = counts.parse(await control(child.port, "state")).tasks.processing;
  await child.stop();
  say(
    `${open.toLocaleString("en")} tasks at once: heap ${mib(after.heapBytes - before.heapBytes)} more, ` +
      `process ${mib(after.rssBytes - before.rssBytes)} more, ledger of their submissions included`,
  );
}

async function leaks(): Promise<void> {
  const child = await Child.start({ kind: "mock", options: { ttftMs: 0, itlMs: ITL_MS, outputTokens: 5000 } });
  const before = await child.health();
  for (let done = 0; done < KILLS; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => kill(child.port, requestBytes(PATHS.chat, STREAMED))));
  }
  const left = async () => counts.parse(await control(child.port, "state"));
  while ((await left()).openStreams > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const state = await left();
  const after = await child.health();
  await child.stop();
  say(
    `${state.streams.left.toLocaleString("en")} clients killed in mid-stream: ${state.openStreams} streams and ` +
      `${state.due} writes left; sockets ${before.sockets} before, ${after.sockets} after (the bench's own among them); ` +
      `timers ${before.timers}, ${after.timers}`,
  );
}

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const { values } = parseArgs({ options: { requests: { type: "string", default: "1000000" } } });
const requests = z.coerce.number().int().positive().parse(values.requests);
const [cpu] = cpus();
const core = pinned(process.pid, 1) ? "mock and client on a core each" : "no taskset: mock and client share the cores";
say(`${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.version}; ${core}`);
say(
  `load average ${loadavg()[0]?.toFixed(2)} before the bench: what else runs here makes the mock and the client late`,
);
await timing();
await speed();
await tasks();
await leaks();
await heap(requests);
