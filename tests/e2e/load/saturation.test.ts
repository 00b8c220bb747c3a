/**
 * The saturation rate that a mock with slots prints, compared with a load below it and a load above it. That the mock serves no
 * less than this rate is tested in virtual time (mock-server/timing/batch.test.ts): a busy machine serves less.
 */

import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { groundTruthRow } from "../../../formats/ground-truth.ts";
import { quantile } from "../../../reports/load/stats/quantiles.ts";
import { newFile, startAssay } from "../../support/commands/assay-process.ts";
import { loadToEnd } from "../../support/commands/load-to-end.ts";

const SLOTS = 8;
/** Prefill of 60 ms, then ten steps that are 34 ms long when all slots are taken: 400 ms, or 20 chats/s. */
const CAPACITY = `${SLOTS},prefill=0.6ms,step=20ms,growth=2ms`;
const REPLY = ["--output-tokens", "11"];
const PREFILL_MS = 60;
/** The mock counts one token per four characters; the rate is printed for prompts of 100 tokens. */
const PROMPT = "word ".repeat(80);

const ledger = z.object({ rows: z.array(groundTruthRow) });

test("a mock with slots serves the rate that it prints, and no more", async () => {
  const prompts = newFile("prompts.jsonl", `${JSON.stringify({ prompt: PROMPT })}\n`);
  /** Offers a multiple of the rate that a mock prints; returns the ground truth about the chats, in milliseconds. */
  const offer = async (share: number, duration: string) => {
    const mock = startAssay(["mock", "--slots", `${CAPACITY},queue=16`, ...REPLY]);
    onTestFinished(() => {
      mock.child.kill("SIGTERM");
      return mock.ended.then(() => undefined);
    });
    const url = await mock.until(/ready (http:\/\/\S+)/);
    const printed = Number(
      await mock.until(/saturate at (\S+) chats\/s with prompts of 100 tokens and replies of 11:/),
    );
    const shape = ["--rate", String(printed * share), "--duration", duration, "--warmup", "0"];
    await loadToEnd("chat-stream", url, [...shape, "--prompts", prompts, "--set", "no-default-slos", "--slo", "ok>=1"]);
    const { rows } = ledger.parse(await (await fetch(`${url}/_mock/ledger`)).json());
    const chats = rows.filter(({ route }) => route === "chat.stream");
    const served = chats.filter(({ status }) => status === 200);
    return {
      printed,
      refused: chats.length - served.length,
      waits: served.map(({ planned_ms }) => (planned_ms[0] ?? Number.NaN) - PREFILL_MS).sort((a, b) => a - b),
      // As planned: a chat that ends late is followed by one that seems to end soon after.
      ends: served.map(({ receivedMs, planned_ms }) => receivedMs + (planned_ms.at(-1) ?? 0)).sort((a, b) => a - b),
    };
  };

  const [below, above] = await Promise.all([offer(0.8, "3s"), offer(1.3, "6s")]);
  const { printed } = above;
  expect(below.ends.length).toBeGreaterThan(40);
  const serviceMs = (1000 * SLOTS) / printed;
  expect(below.refused).toBe(0);

  expect(above.refused).toBeGreaterThan(0);
  // The queue holds two rounds of the slots, so half of those that are served wait for a round or more.
  expect(quantile(above.waits, 500)).toBeGreaterThan(Math.max(serviceMs, quantile(below.waits, 500)));
  // From the first to the last moment at which all slots were taken.
  const full = above.ends.slice(SLOTS - 1, -SLOTS);
  const completed = (1000 * (full.length - 1)) / ((full.at(-1) ?? 0) - (full[0] ?? 0));
  expect(completed / printed).toBeLessThan(1.07);
});
