import { expect, test } from "vitest";
import { foreignEnvironment } from "./child-environment.ts";

test("processes do not inherit settings that were resolved already or would override the scenario", () => {
  const own = { K6_OTEL_SERVICE_NAME: "x", PATH: "/bin", ASSAY_K6: "/k6" };
  expect(foreignEnvironment({ ...own, K6_VUS: "9", ASSAY_RATE: "9", ASSAY_API_KEY: "k" })).toEqual(own);
});
