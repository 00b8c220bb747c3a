import { expect, test } from "vitest";
import { formatChange, formatDetectable, formatInterval } from "./change-text.ts";

test.each([
  [0.052, "+5.2%"],
  [-0.0012, "-0.12%"],
  [0, "0%"],
  [9.99, "+999%"],
  [45.2, "46x"],
  [1_234, "1,235x"],
])("a change of %s is %s", (change, text) => expect(formatChange(change, "relative")).toBe(text));

test("a change of a share is in points", () => expect(formatChange(0.005, "points")).toBe("+0.5 points"));

test.each<[[number | null, number | null] | null, string]>([
  [[0.42, 0.55], "+42% to +55%"],
  [[-0.61, null], "-61% to unknown"],
  [[null, 0.12], "-100% to +12%"],
  [[0.3, 45], "+30% to 46x"],
  [[null, null], "unknown"],
  [null, "-"],
])("the interval %j is %s", (interval, text) => expect(formatInterval({ interval, scale: "relative" })).toBe(text));

test.each([
  [0.126, "13%"],
  [10, "over 11x"],
  [63, "over 11x"],
  [null, "unknown"],
])("a detectable change of %s is %s", (change, text) => expect(formatDetectable(change, "relative")).toBe(text));
