/** Canary prompts: responses that change under load are found, counted and shown, and an objective decides on them. */

import { expect, test } from "vitest";
import { z } from "zod";
import { newFile } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, loadToEnd } from "../../support/commands/load-to-end.ts";
import { type MockProcess, mockOfTest } from "../../support/targets/spawned-mock.ts";

const state = z.object({ streams: z.object({ completed: z.number() }) });

/** Each of two prompts is asked twice alone; what comes after that is asked under load. */
const ALONE = 4;

function load({ url }: MockProcess, ...more: readonly string[]) {
  const file = newFile("canary.txt", "Count from one to ten.\nName the capital of Italy.\n");
  const shape = ["--rate", "5", "--warmup", "1s", "--duration", "9s", "--canary", file];
  return loadToEnd("chat-stream", url, [...FEW_UNITS, ...shape, ...more]);
}

/** Once the load has begun, the text of every response is another one. */
async function changeUnderLoad(mock: MockProcess): Promise<void> {
  const begun = async () => state.parse(await mock.inspect("state")).streams.completed > ALONE;
  await expect.poll(begun, { timeout: 60_000, interval: 50 }).toBe(true);
  const body = JSON.stringify({ names: ["chat-answer-changes"] });
  await fetch(`${mock.url}/_mock/faults`, { method: "POST", body });
}

test.concurrent("responses that change under load are counted and shown, and miss an objective on them", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant");
  const [{ run, stdout, code }] = await Promise.all([
    load(mock, "--slo", "canary_changed<1%", "--duration", "15s"),
    changeUnderLoad(mock),
  ]);
  expect(run.canary, stdout).toMatchObject({ prompts: 2, unstable: 0, failed: 0, empty: 0 });
  const { asked = 0, changed = 0, first } = run.canary ?? {};
  expect([asked > 5, changed > 0, changed <= asked], stdout).toEqual([true, true, true]);
  expect(first?.now).toContain("otherwise");
  expect(first?.before).not.toContain("otherwise");
  expect(run.metrics["canary_changed"]).toEqual({ unit: "share", count: asked, value: changed / asked });
  expect(run.slos.at(-1), stdout).toMatchObject({ expr: "canary_changed<1%", ok: false });
  expect(code).toBe(1);
  expect(run.counts).toMatchObject({ offered: 75, ok: 75 });
  expect(stdout).toContain(`${changed} of ${asked} canary responses differed from the one without load`);
});

test.concurrent("responses that stay are said to stay, and are no failure without an objective", async (context) => {
  const { run, stdout } = await load(await mockOfTest(context, "--timing", "instant"), "--slo", "canary_changed<60%");
  expect(run.canary, stdout).toMatchObject({ prompts: 2, unstable: 0, changed: 0, failed: 0 });
  expect(run.slos.at(-1), stdout).toMatchObject({ expr: "canary_changed<60%", ok: true });
  expect(run.counts).toMatchObject({ offered: 45, ok: 45 });
});
