import { expect, test } from "vitest";
import { openBySecond } from "./tasks-by-second.ts";

const task = (submittedAt: number, overAt?: number) => ({ submittedAt, overAt });

test("a second has the mean number of tasks that are open within it", () => {
  const tasks = [task(10_000, 12_500), task(10_500, 10_750), task(11_000), task(5_000, 9_000), task(99_000)];
  expect([...openBySecond(tasks, 10_000, 14_000)]).toEqual([1.25, 2, 1.5, 1]);
});

test("a last second that is shorter has the mean over its part", () => {
  expect([...openBySecond([task(0), task(1_000, 1_250)], 0, 1_500)]).toEqual([1, 1.5]);
  expect([...openBySecond([task(0)], 0, 0)]).toEqual([]);
});
