import { expect, test } from "vitest";
import { waitingWords } from "./clause-progress.ts";

test.each([
  [0, Number.POSITIVE_INFINITY, ""],
  [1, 400, "waiting for 1 video"],
  [3, 3_200, "waiting for 3 videos, next poll in 4 s"],
])("%s videos whose next poll is %s ms away", (tasks, untilPollMs, words) => {
  expect(waitingWords(tasks, untilPollMs)).toBe(words);
});
