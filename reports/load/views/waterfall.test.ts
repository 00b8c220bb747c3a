import { expect, test } from "vitest";
import { readInstant } from "../../../settings/instants.ts";
import { chatRecord, instant, unanswered } from "../../../tests/support/results/load-run.ts";
import { notableOf } from "../read/notable-requests.ts";
import { phasesOf, waterfallHtml, waterfallLines } from "./waterfall.ts";

const ORIGIN = readInstant(instant(0));
const record = {
  ...chatRecord(1, 1_000, "measure"),
  ttfb: 60,
  ttft: 100,
  e2e: 320,
  gaps_us: [20_000, 180_000],
  chunks: 3,
};
const median = notableOf({ ...record, id: "median" }, ORIGIN);
const made = notableOf(
  { ...record, sent: instant(1_015), lag: 5, slot_wait: 10, reused: false, lookup: 2, connect: 10, tls: 30 },
  ORIGIN,
);

test("the phases of a request follow each other from when it was due to its end, and those without time are left out", () => {
  expect(phasesOf(made).map(({ name, from, to }) => [name, from, to])).toEqual([
    ["wait for a slot", -15, -5],
    ["sent late", -5, 0],
    ["name look-up", 0, 2],
    ["connect", 2, 12],
    ["TLS", 12, 42],
    ["first byte", 42, 60],
    ["first token", 60, 100],
    ["chunks", 100, 300],
    ["end", 300, 320],
  ]);
  const refused = notableOf({ ...unanswered(record), lag: undefined, e2e: 4 }, ORIGIN);
  expect(phasesOf(refused)).toEqual([{ name: "end", from: 0, to: 4 }]);
});

test("a terminal has a bar for each phase, a tick for each chunk, and the median beside", () => {
  const lines = waterfallLines(made, median, 32);
  expect(lines[0]).toMatch(/this +median$/);
  expect(lines.find((line) => line.includes("TLS"))).toMatch(/^ {2}TLS +█{3,4} +30\.00 ms +-$/);
  expect(lines.find((line) => line.includes("chunks"))).toMatch(/^ {2}chunks +│─│─{17}│ +200\.0? ms +200\.0? ms$/);
  expect(lines.at(-1)).toBe("  Not recorded: when the request was written.");
  expect(waterfallLines({ ...median, chunksMs: undefined }, undefined).at(-1)).toBe(
    "  No new connection was recorded. Not recorded: when the request was written, when its chunks came.",
  );
});

test("on a page a tick is as high as the gap before it", () => {
  const { text } = waterfallHtml(made, median);
  const [, ticks = ""] = /class="ticks" d="([^"]*)"/.exec(text) ?? [];
  expect([...ticks.matchAll(/v-([\d.]+)/g)].map(([, height]) => Number(height))).toEqual([10, 2, 10]);
  expect(text).toContain("Ticks: 3 chunks, each as high as the gap before it; the largest is 180");
  expect(text).toContain("median, the median ok chat.stream by its end");
});
