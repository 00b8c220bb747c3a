/** A short soak: nothing is left open by the requests of a load, in k6, `assay` or the mock. `npm run soak` is the long one. */

import { beforeAll, expect, test } from "vitest";
import { mixedLoad, type Soak, soak } from "../../support/soak/soak.ts";

const MAX_MEMORY_MB = 500;

let result: Soak;
beforeAll(async () => {
  result = await soak(15, mixedLoad(50));
});

test("the load runs to its end", () => {
  expect(result.ended.stdout, result.ended.stderr).toMatch(/ok>=1 +[1-9]\d* +met/);
  expect([0, 2]).toContain(result.ended.code);
});

test("descriptors and sockets do not grow", () => {
  const open = result.slopes.filter(({ quantity }) => quantity !== "memoryMb");
  expect(open).toHaveLength(6);
  expect(open.filter(({ grows }) => grows)).toEqual([]);
});

test("memory is bounded", () => {
  for (const [name, { memoryMb }] of Object.entries(result.most)) {
    expect(memoryMb, name).toBeGreaterThan(10);
    expect(memoryMb, name).toBeLessThan(MAX_MEMORY_MB);
  }
});
