import { describe, expect, test } from "vitest";
import { haveOwnArrivals, workloadOfArrival } from "./random.ts";

const ARRIVALS = 20_000;

describe("the workload of an arrival", () => {
  const weights = [6, 3, 1];
  const workloads = weights.map((weight) => ({ weight }));

  test("is chosen by the weights, and is the same for the same seed", () => {
    const counts = [0, 0, 0];
    for (let index = 0; index < ARRIVALS; index += 1) {
      const position = workloadOfArrival(workloads, 7, index);
      counts[position] = (counts[position] ?? 0) + 1;
      expect(workloadOfArrival(workloads, 7, index)).toBe(position);
    }
    for (const [position, weight] of weights.entries()) {
      const share = weight / 10;
      const deviation = Math.sqrt(ARRIVALS * share * (1 - share));
      expect(Math.abs((counts[position] ?? 0) - ARRIVALS * share)).toBeLessThan(5 * deviation);
    }
  });

  test("is that of the stream whose number it has, where each has arrivals of its own", () => {
    const own = [{}, {}, {}];
    expect(haveOwnArrivals(own)).toBe(true);
    expect([0, 1, 2, 3, 4].map((index) => workloadOfArrival(own, 7, index))).toEqual([0, 1, 2, 0, 1]);
    expect(workloadOfArrival([{}], 7, 5)).toBe(0);
  });
});
