import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { planLoad } from "./plan-load.ts";
import { repeatedNotice } from "./repeated-notice.ts";

const planned = (scenario: string, flags: Readonly<Record<string, unknown>>) =>
  planLoad(scenario, { target: "http://127.0.0.1:1", warmup: "0", ...flags }, { env: { ASSAY_API_KEY: "k" } }, false);
const notice = (scenario: string, flags: Readonly<Record<string, unknown>>) => repeatedNotice(planned(scenario, flags));

const ADVICE =
  "A target with a prefix cache answers those sooner. Use a larger file (--prompts), or prompts that are made, each another (--input-tokens).";

test("a load that needs no more prompts than its file has says nothing, nor one whose prompts are made", () => {
  expect(notice("chat", { rate: "92", duration: "3s" })).toBeUndefined();
  expect(notice("chat", { rate: "100", duration: "1h", inputTokens: "100" })).toBeUndefined();
});

test("one that needs more says how many repeat", () => {
  expect(notice("chat", { rate: "100", duration: "3s" })).toBe(
    `The built-in file has 276 prompts: about 24 of 300 repeat an earlier one. ${ADVICE}`,
  );
  expect(notice("embeddings", { rate: "10", duration: "3s", batchSizes: "8,12" })).toContain("about 24 of 300 repeat");
  expect(notice("chat", { vus: "2", duration: "3s" })).toContain("276 prompts: further ones repeat an earlier one.");
});

test("prompts of a trace that states their lengths are made", () => {
  const file = join(newFolder(), "trace.jsonl");
  const line = (length: string) => Array.from({ length: 400 }, (_, at) => `{"timestamp":${at}${length}}\n`).join("");
  writeFileSync(file, line(',"input_length":20'));
  expect(notice("chat", { arrival: `trace:${file}`, duration: "10s" })).toBeUndefined();
  writeFileSync(file, line(""));
  expect(notice("chat", { arrival: `trace:${file}`, duration: "10s" })).toContain("about 124 of 400 repeat");
});

test("of several workloads, each is named", () => {
  expect(notice("mixed", { rate: "100", duration: "10s", mix: "chat=9,embeddings=1" })).toContain(
    "about 624 of 900 of chat, about 1,091 of 1,367 of embeddings repeat",
  );
});
