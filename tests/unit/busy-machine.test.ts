import { expect, test } from "vitest";
import { unspoiled } from "../support/commands/busy-machine.ts";

/** Tries for results in turn, of which those below zero are spoiled. */
async function trying(results: readonly number[]) {
  const left = [...results];
  const printed: string[] = [];
  const result = await unspoiled(
    async () => left.shift() ?? Number.NaN,
    (each) => (each < 0 ? `the result was ${each}` : undefined),
    (line) => void printed.push(line),
  );
  return { result, printed };
}

const NAME = "what the machine spoiled is repeated, and each repetition is printed with its test and its reason";
test(NAME, async () => {
  expect(await trying([-1, -2, 3])).toEqual({
    result: 3,
    printed: [
      `REPEATED ${NAME}: attempt 2 of 4, because the result was -1\n`,
      `REPEATED ${NAME}: attempt 3 of 4, because the result was -2\n`,
    ],
  });
});

test("what the machine did not spoil is not repeated, and nothing is printed", async () => {
  expect(await trying([1, 2])).toEqual({ result: 1, printed: [] });
});

test("the fourth result is taken as it is", async () => {
  const { result, printed } = await trying([-1, -2, -3, -4, 5]);
  expect(result).toBe(-4);
  expect(printed).toHaveLength(3);
});
