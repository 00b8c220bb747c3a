import { expect, test } from "vitest";
import type { CanaryLine } from "../../../formats/canary.ts";
import { formatInstant } from "../../../settings/instants.ts";
import { makeRun } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { notesOf } from "../views/notes.ts";
import { canaryAnswers, canaryInWords } from "./canary-answers.ts";

const START = Date.UTC(2026, 0, 2);
const line = (prompt: number, alone: boolean, text: string | undefined, second = 0): string => {
  const given: CanaryLine = {
    at: formatInstant(START + second * 1_000),
    prompt,
    alone,
    ...(text === undefined ? { error: "gone" } : { text }),
  };
  return JSON.stringify(given);
};
const header = (prompts: number): string => JSON.stringify({ schema: "assay.canary/1", prompts });
const alone = (prompt: number, ...texts: readonly (string | undefined)[]) =>
  texts.map((text) => line(prompt, true, text));

const COUNT = "one two three four five six seven";
const LINES = [
  header(3),
  ...alone(1, COUNT, COUNT),
  ...alone(2, "a b", "a c"),
  ...alone(3, "Rome", undefined),
  line(1, false, COUNT, 1),
  line(2, false, "a d", 2),
  line(3, false, "Rome", 3),
  line(1, false, "one two three for five six seven", 4),
  line(1, false, "", 5),
  line(1, false, `one two ${"three four ".repeat(5)}`, 6),
  line(1, false, "one tw\uFFFD", 7),
  line(1, false, undefined, 8),
];

test("responses are compared with the one that a prompt had twice alone; others are not compared", async () => {
  const result = await canaryAnswers([LINES], START);
  expect(result).toEqual({
    ...{ prompts: 3, unstable: 2, asked: 5, changed: 4, empty: 1, looping: 1, brokenText: 1, failed: 1 },
    first: {
      prompt: 1,
      atS: 4,
      from: 16,
      before: "two three four five six seven",
      now: "two three for five six seven",
    },
  });
  expect(result && canaryInWords(result)).toEqual([
    "4 of 5 canary responses differed from the one without load (1 empty, 1 looping, 1 with broken UTF-8)",
    'the first, for canary prompt 1 at 4.0 s, differs from character 17 on: "two three for five six seven" in place of "two three four five six seven"',
    "1 canary request during the load had no response",
    "2 of 3 canary prompts had no two equal responses without load, and are not compared",
  ]);
  expect(await canaryAnswers([[]], START)).toBeUndefined();
});

test("where none can be compared, the report does not count those that differ", () => {
  const none = { prompts: 2, unstable: 2, asked: 0, changed: 0, empty: 0, looping: 0, brokenText: 0, failed: 0 };
  expect(canaryInWords(none)).toEqual([
    "2 of 2 canary prompts had no two equal responses without load, and are not compared",
  ]);
  expect(canaryInWords({ ...none, unstable: 0 })).toEqual(["no canary prompt was asked during the load"]);
});

test("prompts that were refused without load are told apart from those whose responses vary, with the reason", async () => {
  const refusal = (prompt: number, error: string): string =>
    JSON.stringify({ at: formatInstant(START), prompt, alone: true, error });
  const lines = [
    header(3),
    ...[1, 2, 1, 2].map((prompt) => refusal(prompt, `the status is 400, not 200: max_tokens of prompt ${prompt}`)),
    ...alone(3, "a b", "a c"),
    line(1, false, undefined, 1),
  ];
  const result = await canaryAnswers([lines], START);
  expect(result).toMatchObject({ unstable: 3, asked: 0, failed: 0 });
  expect(result && canaryInWords(result)).toEqual([
    "2 of 3 canary prompts got no response without load, and are not compared: the status is 400, not 200: max_tokens of prompt 1",
    "1 of 3 canary prompts had no two equal responses without load, and is not compared",
  ]);
});

test("an objective decides on the share of them, whatever became of the requests of the load", async () => {
  const run = await summarize([{ ...makeRun(), canary: LINES }], {
    slos: ["canary_changed<1%", "canary_changed<70%", "ok>=1"],
  });
  const { slos, canary, counts } = run;
  expect(slos.map(({ ok }) => ok)).toEqual([false, null, true]);
  expect(slos[0]?.cause).toContain("canary prompt 1");
  expect(notesOf(run)).not.toContain(slos[0]?.cause);
  expect(notesOf({ ...run, slos: [] })).toContain(slos[0]?.cause);
  expect([canary?.asked, counts.offered]).toEqual([5, 600]);
  const without = await summarize([makeRun()], { slos: ["canary_changed<1%"] });
  expect(without.slos[0]).toMatchObject({ ok: null, note: "canary_changed was not measured" });
});
