/**
 * Figures of the mock: how well it keeps time, how fast it answers, what it keeps in memory. Prints and judges nothing.
 * `npm run bench:mock [-- --only timing|speed|tasks|leaks|heap] [--requests N]`, where N (default 1,000,000) is how many
 * requests the heap is watched over.
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import { PATHS } from "../contract/service.ts";
import { machine, say } from "./bench-output.ts";
import { timing } from "./mock-timing.ts";
import { Child } from "./server-process.ts";
import { hammer, kill, requestBytes } from "./socket-clients.ts";

const RATE_REQUESTS = 60_000;
const TASKS = 10_000;
const KILLS = 1000;

const CHAT = { model: "m", messages: [{ role: "user", content: "How are you?" }] };
const STREAMED = { ...CHAT, stream: true };
const MIB = 1 << 20;
const counts = z.object({
  streams: z.object({ left: z.int() }),
  openStreams: z.int(),
  due: z.int(),
  tasks: z.object({ processing: z.int() }),
});

const control = async (port: number, action: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}/_mock/${action}`)).json();

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
  const child = await Child.start({ kind: "mock", options: { ttftMs: 0, itlMs: 20, outputTokens: 5000 } });
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

const PARTS: Readonly<Record<string, (requests: number) => Promise<void>>> = {
  timing,
  speed,
  tasks,
  leaks,
  heap,
};
const { values } = parseArgs({
  options: { requests: { type: "string", default: "1000000" }, only: { type: "string", default: "" } },
});
const requests = z.coerce.number().int().positive().parse(values.requests);
const parts = z.array(z.enum(Object.keys(PARTS))).parse(values.only === "" ? Object.keys(PARTS) : [values.only]);
say(machine());
for (const part of parts) await PARTS[part]?.(requests);
