import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { messageOf, reportedBy } from "./k6-process.ts";

test("an error of a script is shown with the lines of the user's files, and without those of the bundle and of Assay", () => {
  const line = String.raw`time="…" level=error msg="GoError: cannot start at \"x\"; wait\n\tat loadShape (file:///b.js:1:2)\n" hint="script exception"`;
  expect(messageOf(line)).toBe('cannot start at "x"; wait');
  expect(messageOf("no logfmt")).toBe("no logfmt");
  const own = (path: string): string => pathToFileURL(join(process.cwd(), path)).href;
  const thrown = [
    "Error: x",
    `inner (${own("../own.ts")}:8:13(5))`,
    `file:///tmp/a%20b.ts:12:37(11)`,
    `paced (${own("scenarios/load-shape.ts")}:36:30(22))`,
    "file:///tmp/run/bundle.js:3:4(1)",
  ].join(String.raw`\n\tat `);
  expect(messageOf(`level=error msg="The scenario threw: ${thrown}\\n" source=console`)).toBe(
    `The scenario threw: Error: x\n    at inner (${join(process.cwd(), "../own.ts")}:8:13)\n    at /tmp/a b.ts:12:37`,
  );
});

test("what an output of k6 reports is told apart from errors of the run", () => {
  const failed = String.raw`time="…" level=error msg="Failed to send the time series data to the endpoint" error="HTTP POST request failed: Post \"http://h/x\": refused" output="Prometheus remote write"`;
  expect(reportedBy(failed)).toEqual({
    trouble: { output: "Prometheus remote write", reason: 'HTTP POST request failed: Post "http://h/x": refused' },
  });
  expect(reportedBy("level=error msg=late output=assay-otlp")).toEqual({
    trouble: { output: "assay-otlp", reason: "level=error msg=late output=assay-otlp" },
  });
  expect(reportedBy('level=error msg="x" source=console')).toEqual({ error: "x" });
  expect(reportedBy('level=warning msg="slow" output=csv')).toEqual({});
});
