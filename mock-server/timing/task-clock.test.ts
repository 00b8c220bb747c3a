import { expect, it } from "vitest";
import { taskClock } from "./task-clock.ts";

it("runs, is held, is advanced in both states, and continues from its current time", () => {
  let source = 1000;
  const clock = taskClock(false, () => source);
  source += 5;
  expect([clock.now(), clock.held]).toEqual([5, false]);
  clock.advance(10);
  clock.hold();
  source += 100;
  expect([clock.now(), clock.held]).toEqual([15, true]);
  clock.advance(10);
  expect(clock.now()).toBe(25);
  clock.run();
  source += 1;
  expect(clock.now()).toBe(26);
});

it("starts held when requested", () => {
  let source = 7;
  const clock = taskClock(true, () => source);
  source += 100;
  expect([clock.now(), clock.held]).toEqual([0, true]);
});
