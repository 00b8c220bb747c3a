import { expect, test } from "vitest";
import { normalQuantile } from "./normal-quantile.ts";

test.each([
  [0.5, 0],
  [0.8413447460685429, 1],
  [0.9772498680518208, 2],
  [0.9986501019683699, 3],
  [0.001349898031630095, -3],
  [0.02275013194817921, -2],
  [0.975, 1.959964],
  [1e-5, -4.264891],
])("the normal quantile of %d is %d", (share, expected) => expect(normalQuantile(share)).toBeCloseTo(expected, 6));
