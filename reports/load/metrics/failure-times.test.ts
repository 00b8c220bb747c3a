import { expect, test } from "vitest";
import { FailureTimes } from "./failure-times.ts";

/** What is found in requests that are due every 200 ms. @param outcomes of each: `x` failed, `.` did not */
function found(outcomes: string) {
  const times = new FailureTimes();
  for (const [at, outcome] of [...outcomes].entries()) times.add(at * 200, outcome === "x");
  return times.found();
}

test.each([
  ["ten failures", `..${"x".repeat(10)}...`, [{ from: 400, to: 2_400 }]],
  ["nine", `..${"x".repeat(9)}..........`, []],
  ["failures to the end", `.${"x".repeat(12)}`, [{ from: 200, to: undefined }]],
  ["a success between them", `.${"x".repeat(7)}.${"x".repeat(7)}.`, [{ from: 200, to: 3_200 }]],
  ["as many successes", `.${"x".repeat(12)}${".".repeat(12)}x`, [{ from: 200, to: 2_600 }]],
  [
    "twenty successes after more failures",
    `.${"x".repeat(60)}${".".repeat(20)}${"x".repeat(10)}`,
    [
      { from: 200, to: 12_200 },
      { from: 16_200, to: undefined },
    ],
  ],
  ["every other one", ".x".repeat(60), []],
  ["nothing but failures", "x".repeat(60), []],
])("of %s", (_, outcomes, times) => expect(found(outcomes)).toEqual(times));

test("requests that fail at once, within less than a second, are none", () => {
  const times = new FailureTimes();
  times.add(0, false);
  for (let nth = 0; nth < 30; nth += 1) times.add(100 + nth * 30, true);
  times.add(2_000, false);
  expect(times.found()).toEqual([]);
});
