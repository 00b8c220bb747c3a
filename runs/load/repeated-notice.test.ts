import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFile, newFolder } from "../../tests/support/commands/assay-process.ts";
import { planLoad } from "./plan-load.ts";
import { repeatedNotice } from "./repeated-notice.ts";

const planned = (scenario: string, flags: Readonly<Record<string, unknown>>) =>
  planLoad(scenario, { target: "http://127.0.0.1:1", warmup: "0", ...flags }, { env: { ASSAY_API_KEY: "k" } }, false);
const notice = (scenario: string, flags: Readonly<Record<string, unknown>>) => repeatedNotice(planned(scenario, flags));

const ADVICE =
  "A target with a prefix cache answers those sooner. Make each prompt another one (--set unique-prompts=true), use a larger file (--prompts), or prompts that are made (--input-tokens).";

/** A load that sends the built-in prompts as they are. */
const AS_THEY_ARE = { uniquePrompts: "false" };

test("a load that needs no more prompts than its file has says nothing, nor one whose prompts are made", () => {
  expect(notice("chat", { ...AS_THEY_ARE, rate: "92", duration: "3s" })).toBeUndefined();
  expect(notice("chat", { rate: "100", duration: "1h", inputTokens: "100" })).toBeUndefined();
});

test("one whose prompts are made unique says nothing, however many it needs: the built-in ones are", () => {
  expect(notice("chat", { rate: "100", duration: "1h" })).toBeUndefined();
  expect(notice("mixed", { vus: "3", repeat: "2" })).toBeUndefined();
  const file = newFile("few.txt", "one\ntwo\n");
  expect(notice("chat", { rate: "1", duration: "3s", prompts: file })).toContain("about 1 of 3 repeat");
  expect(notice("chat", { rate: "1", duration: "3s", prompts: file, uniquePrompts: "true" })).toBeUndefined();
});

test("runs that draw from one file repeat its prompts, whatever each needs", () => {
  const few = { ...AS_THEY_ARE, rate: "10", duration: "3s" };
  const runs =
    "The built-in file has 276 prompts, from which each run draws: later runs repeat prompts of earlier ones";
  expect(notice("chat", { ...few, repeat: "2" })).toBe(`${runs}. ${ADVICE}`);
  expect(repeatedNotice(planned("chat", few), true)).toBe(`${runs}. ${ADVICE}`);
  expect(notice("chat", { ...few, rate: "100", repeat: "2" })).toContain(
    "earlier ones; within a run about 24 of 300 repeat an earlier one.",
  );
});

test("one that needs more says how many repeat", () => {
  expect(notice("chat", { ...AS_THEY_ARE, rate: "100", duration: "3s" })).toBe(
    `The built-in file has 276 prompts: about 24 of 300 repeat an earlier one. ${ADVICE}`,
  );
  const batches = { ...AS_THEY_ARE, rate: "10", duration: "3s", batchSizes: "8,12" };
  expect(notice("embeddings", batches)).toContain("about 24 of 300 repeat");
  expect(notice("chat", { ...AS_THEY_ARE, vus: "2", duration: "3s" })).toContain(
    "276 prompts: further ones repeat an earlier one.",
  );
});

test("prompts of a trace that states their lengths are made", () => {
  const file = join(newFolder(), "trace.jsonl");
  const line = (length: string) =>
    Array.from({ length: 400 }, (_, at) => `{"timestamp":${at * 20}${length}}\n`).join("");
  writeFileSync(file, line(',"input_length":20'));
  const replayed = { ...AS_THEY_ARE, arrival: `trace:${file},unit=ms`, duration: "10s" };
  expect(notice("chat", replayed)).toBeUndefined();
  writeFileSync(file, line(""));
  expect(notice("chat", replayed)).toContain("about 124 of 400 repeat");
});

test("of several workloads, each is named", () => {
  expect(notice("mixed", { ...AS_THEY_ARE, rate: "100", duration: "10s", mix: "chat=9,embeddings=1" })).toContain(
    "about 624 of 900 of chat, about 1,091 of 1,367 of embeddings repeat",
  );
});
