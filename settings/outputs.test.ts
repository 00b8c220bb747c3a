import fc from "fast-check";
import { expect, test } from "vitest";
import { formatOutputs, type Output, parseOutputs } from "./outputs.ts";

test("outputs are read as they are written", () => {
  expect(
    parseOutputs(
      "web-dashboard, csv=a,b=c.csv,json=x.json.gz ,prometheus=http://h:9090/api/v1/write/,otlp=https://[::1]:4318",
    ),
  ).toEqual([
    { kind: "web-dashboard" },
    { kind: "csv", file: "a,b=c.csv" },
    { kind: "json", file: "x.json.gz" },
    { kind: "prometheus", url: "http://h:9090/api/v1/write" },
    { kind: "otlp", url: "https://[::1]:4318" },
  ]);
});

test.each([
  ["csv", "csv needs a file, such as csv=samples.csv"],
  ["json=-", "json needs a file"],
  ["web-dashboard=5665", "web-dashboard takes no value"],
  ["promtheus=http://h", 'Did you mean "prometheus"?'],
  ["influxdb=http://h", '"influxdb" is not an output'],
  ["otlp=h:4318", "otlp needs the address of a receiver, such as otlp=http://127.0.0.1:4318"],
  ["otlp", "otlp needs the address of a receiver"],
  ["prometheus=http://user:pw@h/x", "K6_PROMETHEUS_RW_PASSWORD"],
  ["otlp=http://h/?key=1", "OTEL_EXPORTER_OTLP_HEADERS"],
  ["csv=a,csv=b", "csv is given twice"],
])("%s is refused with a sentence that says what to write", (text, sentence) => {
  expect(() => parseOutputs(text)).toThrow(sentence);
});

test("a secret in an address is not repeated", () => {
  expect(() => parseOutputs("otlp=https://me:hunter22@h")).toThrow(/^(?!.*hunter22)/s);
});

const file = fc
  .stringMatching(/^[\w./ =,-]*[\w]$/)
  .filter((name) => !/(?:^|,)\s*(?:web-dashboard|prometheus|otlp|csv|json)\b/.test(name) && name.trim() === name);

test("what is written is read as the same", () => {
  const output: fc.Arbitrary<Output> = fc.oneof(
    fc.constant({ kind: "web-dashboard" } as const),
    fc.record({ kind: fc.constantFrom("csv", "json"), file }),
    fc
      .record({ kind: fc.constantFrom("prometheus", "otlp"), url: fc.webUrl({ validSchemes: ["http", "https"] }) })
      .map(({ kind, url }) => ({ kind, url: url.replace(/\/+$/, "") }))
      .filter(({ url }) => !/[@,]/.test(url)),
  );
  fc.assert(
    fc.property(fc.uniqueArray(output, { minLength: 1, maxLength: 5, selector: ({ kind }) => kind }), (outputs) => {
      expect(parseOutputs(formatOutputs(outputs))).toEqual(outputs);
    }),
  );
});
