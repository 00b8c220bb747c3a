import { expect, test } from "vitest";
import { limiter, pacer } from "./waiting.ts";

test("urgent functions go before others that wait, and none before its turn", async () => {
  const limit = limiter(1);
  const done: string[] = [];
  let atOnce = 0;
  const run = (name: string) => async (): Promise<void> => {
    atOnce += 1;
    await new Promise(setImmediate);
    expect(atOnce).toBe(1);
    atOnce -= 1;
    done.push(name);
  };
  await Promise.all([limit(run("a")), limit(run("b")), limit(run("c"), "urgent")]);
  expect(done).toEqual(["a", "c", "b"]);
});

test("a turn that nobody waits for any more is given at once", async () => {
  const turn = pacer(0.001);
  await turn(new AbortController().signal);
  await turn(AbortSignal.abort());
});
