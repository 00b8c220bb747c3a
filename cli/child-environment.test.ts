import { expect, test } from "vitest";
import { foreignEnvironment } from "./child-environment.ts";

test("processes do not inherit settings that were resolved already or would override the scenario", () => {
  const own = { OTEL_SERVICE_NAME: "x", PATH: "/bin", ASSAY_K6: "/k6" };
  const others = { K6_VUS: "9", K6_OUT: "json=x", ASSAY_RATE: "9", ASSAY_API_KEY: "k" };
  expect(foreignEnvironment({ ...own, ...others })).toEqual(own);
});

test("processes do not inherit the credentials of outputs, which k6 is given with the output", () => {
  const credentials = { K6_PROMETHEUS_RW_PASSWORD: "p", OTEL_EXPORTER_OTLP_HEADERS: "a=b" };
  expect(foreignEnvironment({ PATH: "/bin", ...credentials })).toEqual({ PATH: "/bin" });
});
