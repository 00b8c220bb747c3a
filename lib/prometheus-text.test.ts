import fc from "fast-check";
import { expect, test } from "vitest";
import { LONGEST_SERIES, parseMetricsText } from "./prometheus-text.ts";

const all = (text: string) => parseMetricsText(text, () => true, 100);

test("samples are read with their labels in order, whatever the spelling", () => {
  const { samples, malformed, isMetrics } = all(
    [
      "# HELP vllm:num_requests_waiting Number of requests waiting.",
      "# TYPE vllm:num_requests_waiting gauge",
      'vllm:num_requests_waiting{model_name="a b",engine="0",} 3.0',
      "  up 1 1700000000000\r",
      'x{a="quote \\" backslash \\\\ line \\n end"} +1.5e3 # {trace_id="t"} 0.67 1.0',
      "none NaN",
      "most +Inf",
      "half .5",
      "# EOF",
    ].join("\n"),
  );
  expect(samples).toEqual([
    { name: "vllm:num_requests_waiting", series: 'vllm:num_requests_waiting{engine="0",model_name="a b"}', value: 3 },
    { name: "up", series: "up", value: 1 },
    { name: "x", series: 'x{a="quote \\" backslash \\\\ line \\n end"}', value: 1500 },
    { name: "half", series: "half", value: 0.5 },
  ]);
  expect({ malformed, isMetrics }).toEqual({ malformed: 0, isMetrics: true });
});

test.each([
  'a{b="c" 1',
  'a{b="c"} ',
  'a{b="c"} one',
  'a{b="c",b="d"} 1',
  'a{b="c"d="e"} 1',
  "a{b=c} 1",
  'a{__="x\\y"} 1',
  "a 0x10",
  "a 1_000",
  "a 1e",
])("%s is malformed", (line) => {
  expect(all(line)).toMatchObject({ samples: [], malformed: 1 });
});

test("what is not wanted is not kept, and what is too much is counted", () => {
  const text = Array.from({ length: 20 }, (_, index) => `queue{rank="${index}"} ${index}\nother ${index}`).join("\n");
  const { samples, dropped } = parseMetricsText(text, (name) => name === "queue", 5);
  expect([samples.length, dropped]).toEqual([5, 15]);
  expect(all(`a{b="${"x".repeat(LONGEST_SERIES)}"} 1`)).toMatchObject({ samples: [], dropped: 1 });
});

test.each(["<html><body>metrics</body></html>", '{"queue": 3}', "", "404 page not found", "not found"])(
  "%s has no metrics",
  (text) => {
    expect(all(text)).toMatchObject({ samples: [], isMetrics: false });
  },
);

const label = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/);
const escaped = (value: string) => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

test("every sample that is written is read as the same", () => {
  const sample = fc.record({
    name: fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,12}$/),
    labels: fc.dictionary(label, fc.string({ maxLength: 12, unit: "grapheme" }), { maxKeys: 4 }),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  });
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 8 }), (written) => {
      const lines = written.map(({ name, labels, value }) => {
        const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text.replaceAll("\r", ""))}"`);
        return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
      });
      const { samples, malformed } = all(lines.join("\n"));
      expect(malformed).toBe(0);
      expect(samples.map(({ name, value }) => [name, value])).toEqual(written.map(({ name, value }) => [name, value]));
    }),
  );
});

test("no text makes it fail or take long", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab{}=",\\ \n#1.eE+-\t\r'), maxLength: 400 }), (text) => {
      const { samples } = all(text);
      for (const { name, series, value } of samples) {
        expect(series.startsWith(name)).toBe(true);
        expect(Number.isFinite(value)).toBe(true);
      }
    }),
  );
  const long = [
    `a{${'b="c",'.repeat(200_000)}`,
    `a${" ".repeat(1_000_000)}x`,
    `${"a".repeat(1_000_000)}{`,
    '\\"'.repeat(500_000),
  ];
  for (const text of long) expect(all(text).samples).toEqual([]);
});
