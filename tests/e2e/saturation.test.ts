/** The saturation rate that a mock with slots prints, held against a load below it and a load beyond it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { assay, newFolder, startAssay } from "../support/assay-process.ts";

const SLOTS = 8;
/** Prefill of 60 ms, then ten steps that are 34 ms long when all slots are taken: 400 ms, or 20 chats a second. */
const CAPACITY = ["--slots", `${SLOTS}`, "--prefill", "0.6ms", "--step", "20ms", "--step-growth", "2ms"];
const REPLY = ["--output-tokens", "11"];
const QUEUE = ["--queue", "16"];
const PREFILL_MS = 60;
/** The mock counts a token for every four characters; the rate is printed for prompts of 100 tokens. */
const PROMPT = "word ".repeat(80);

const ledger = z.object({
  rows: z.array(
    z.object({
      route: z.string(),
      status: z.int(),
      receivedMs: z.number(),
      endMs: z.number(),
      planned_ms: z.array(z.number()),
    }),
  ),
});

test("a mock with slots serves what its closed form says, and no more", async () => {
  const mock = startAssay(["mock", ...CAPACITY, ...REPLY, ...QUEUE]);
  onTestFinished(() => {
    mock.child.kill("SIGTERM");
    return mock.ended.then(() => undefined);
  });
  const url = await mock.until(/ready (http:\/\/\S+)/);
  const printed = Number(await mock.until(/saturate at (\S+) chats\/s with prompts of 100 tokens and replies of 11:/));

  const prompts = join(newFolder(), "prompts.jsonl");
  writeFileSync(prompts, `${JSON.stringify({ prompt: PROMPT })}\n`);
  /** Offers a share of the printed rate; gives what the mock says about each chat, in milliseconds. */
  const offer = async (share: number, duration: string) => {
    await fetch(`${url}/_mock/reset`, { method: "POST" });
    const shape = ["--rate", String(printed * share), "--duration", duration, "--warmup", "0"];
    const more = ["--prompts", prompts, "--slo", "ok>=1", "--out", newFolder()];
    const { code, stdout, stderr } = await assay(["load", "chat-stream", "--target", url, ...shape, ...more]);
    expect(code, stdout + stderr).not.toBe(3);
    const { rows } = ledger.parse(await (await fetch(`${url}/_mock/ledger`)).json());
    const chats = rows.filter(({ route }) => route === "chat.stream");
    const served = chats.filter(({ status }) => status === 200);
    return {
      refused: chats.length - served.length,
      waits: served.map(({ planned_ms }) => (planned_ms[0] ?? Number.NaN) - PREFILL_MS).sort((a, b) => a - b),
      ends: served.map(({ receivedMs, endMs }) => receivedMs + endMs).sort((a, b) => a - b),
    };
  };

  const below = await offer(0.8, "3s");
  expect(below.ends.length).toBeGreaterThan(40);
  const serviceMs = (1000 * SLOTS) / printed;
  expect(below.refused).toBe(0);
  // Nine in ten get a slot within a quarter of the time that a chat takes.
  expect(quantile(below.waits, 0.9)).toBeLessThan(serviceMs / 4);

  const beyond = await offer(1.3, "6s");
  expect(beyond.refused).toBeGreaterThan(0);
  // The queue holds two rounds of the slots, so half of those that are served wait for a round or more.
  expect(quantile(beyond.waits, 0.5)).toBeGreaterThan(serviceMs);
  // From when all slots were taken first to when they are taken last.
  const full = beyond.ends.slice(SLOTS - 1, -SLOTS);
  const completed = (1000 * (full.length - 1)) / ((full.at(-1) ?? 0) - (full[0] ?? 0));
  expect(Math.abs(completed / printed - 1)).toBeLessThan(0.07);
});

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
