import { expect, test } from "vitest";
import { holdsOutputSecrets, outputSecrets } from "./output-secrets.ts";

test("credentials are found in every standard variable, whatever their form", () => {
  const secrets = outputSecrets({
    K6_PROMETHEUS_RW_PASSWORD: "the-password",
    K6_PROMETHEUS_RW_USERNAME: "reader",
    K6_PROMETHEUS_RW_BEARER_TOKEN: "the-token",
    K6_PROMETHEUS_RW_SIGV4_SECRET_KEY: "the-sigv4-key",
    "K6_PROMETHEUS_RW_HEADERS_X-Scope": "the-scope-key",
    K6_PROMETHEUS_RW_HTTP_HEADERS: "Authorization:Bearer the-list-token,X-Key: the-list-key",
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20the-otlp-token, x-key = the-otlp-key",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "authorization=Basic dXNlcjp0aGUtYmFzaWMtcGFzc3dvcmQ=",
  });
  expect(secrets).toEqual(
    expect.arrayContaining([
      "the-password",
      "the-token",
      "the-sigv4-key",
      "the-scope-key",
      "the-list-token",
      "the-list-key",
      "the-otlp-token",
      "the-otlp-key",
      "the-basic-password",
    ]),
  );
  expect(secrets).not.toContain("reader");
});

test("variables without credentials are nobody's secret", () => {
  expect(outputSecrets({ K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s", OTEL_SERVICE_NAME: "x" })).toEqual([]);
  expect(["K6_PROMETHEUS_RW_HEADERS_a", "OTEL_EXPORTER_OTLP_HEADERS"].map(holdsOutputSecrets)).toEqual([true, true]);
  expect(["K6_PROMETHEUS_RW_SERVER_URL", "OTEL_SERVICE_NAME", "PATH"].map(holdsOutputSecrets)).toEqual([
    false,
    false,
    false,
  ]);
});
