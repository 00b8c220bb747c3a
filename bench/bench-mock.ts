/**
 * Measures the mock: its timing errors, its throughput, its memory. Prints results; sets no limits.
 * `npm run bench:mock [-- --only timing|speed|tasks|leaks|heap] [--requests N]`, where N (default 1,000,000) is the number
 * of requests over which the growth of the heap is measured.
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import { PATHS } from "../contract/service.ts";
import { machine, say } from "./bench-output.ts";
import { benchTiming } from "./mock-timing.ts";
import { ServerProcess } from "./server-process.ts";
import { abortStream, requestBytes, sendBurst } from "./socket-clients.ts";

const RATE_REQUESTS = 60_000;
const TASKS = 10_000;
const ABORTS = 1000;

const CHAT = { model: "m", messages: [{ role: "user", content: "How are you?" }] };
const STREAMED = { ...CHAT, stream: true };
const MIB = 1 << 20;
/** The counts of the state of the mock that are printed. */
const mockState = z.object({
  streams: z.object({ left: z.int() }),
  openStreams: z.int(),
  due: z.int(),
  tasks: z.object({ processing: z.int() }),
});

async function benchSpeed(): Promise<void> {
  const request = requestBytes(PATHS.chat, CHAT);
  const rates = { bare: 0, mock: 0 };
  for (const kind of ["bare", "mock"] as const) {
    const server = await ServerProcess.start(kind === "bare" ? { kind } : { kind, options: { timing: "instant" } });
    await sendBurst(server.port, request, RATE_REQUESTS / 6);
    rates[kind] = await sendBurst(server.port, request, RATE_REQUESTS);
    await server.stop();
  }
  say(`chat responses on one core, ${RATE_REQUESTS.toLocaleString("en")} requests over 32 connections`);
  say(
    `  mock ${rate(rates.mock)}; bare node:http ${rate(rates.bare)}; ` +
      `ratio ${(rates.mock / rates.bare).toFixed(2)}`,
  );
}

async function benchHeap(requests: number): Promise<void> {
  const server = await ServerProcess.start({ kind: "mock", options: { timing: "instant" } });
  const request = requestBytes(PATHS.chat, CHAT);
  // The ledger keeps 20,000 rows: growth counts from when it is full.
  await sendBurst(server.port, request, 40_000);
  const before = await server.resources();
  await sendBurst(server.port, request, requests);
  const after = await server.resources();
  await server.stop();
  say(`heap growth over ${requests.toLocaleString("en")} requests: ${mib(after.heapBytes - before.heapBytes)}`);
}

async function benchTasks(): Promise<void> {
  const server = await ServerProcess.start({ kind: "mock", options: { timing: "instant", workMs: 3_600_000 } });
  const before = await server.resources();
  await sendBurst(server.port, requestBytes(PATHS.videos, { model: "m", prompt: "A river in the morning." }), TASKS);
  const after = await server.resources();
  const open = mockState.parse(await server.inspect("state")).tasks.processing;
  await server.stop();
  say(
    `${open.toLocaleString("en")} open tasks: heap growth ${mib(after.heapBytes - before.heapBytes)}, ` +
      `process memory growth ${mib(after.rssBytes - before.rssBytes)}, including the ledger rows of their submissions`,
  );
}

async function benchLeaks(): Promise<void> {
  const server = await ServerProcess.start({ kind: "mock", options: { ttftMs: 0, itlMs: 20, outputTokens: 5000 } });
  const before = await server.resources();
  for (let done = 0; done < ABORTS; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => abortStream(server.port, requestBytes(PATHS.chat, STREAMED))));
  }
  const state = async () => mockState.parse(await server.inspect("state"));
  while ((await state()).openStreams > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const final = await state();
  const after = await server.resources();
  await server.stop();
  say(
    `${final.streams.left.toLocaleString("en")} streams aborted by their clients: ${final.openStreams} streams and ` +
      `${final.due} writes remain; sockets ${before.sockets} before, ${after.sockets} after (including that of this ` +
      `benchmark); timers ${before.timers} before, ${after.timers} after`,
  );
}

const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString("en")} requests/s`;
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const PARTS: Readonly<Record<string, (requests: number) => Promise<void>>> = {
  timing: benchTiming,
  speed: benchSpeed,
  tasks: benchTasks,
  leaks: benchLeaks,
  heap: benchHeap,
};
const { values } = parseArgs({
  options: { requests: { type: "string", default: "1000000" }, only: { type: "string", default: "" } },
});
const requests = z.coerce.number().int().positive().parse(values.requests);
const names = z.array(z.enum(Object.keys(PARTS))).parse(values.only === "" ? Object.keys(PARTS) : [values.only]);
say(machine());
for (const name of names) await PARTS[name]?.(requests);
