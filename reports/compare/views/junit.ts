/** A comparison as JUnit XML: one test case per metric. */

import type { CompareResult } from "../../../formats/compare.ts";
import { junit, type TestCase } from "../../xml.ts";
import { COMPARISON_COLUMNS, comparisonRow } from "./comparison-rows.ts";

/** A regression is a failure; what the data does not tell is an error. */
export function compareJunit(result: CompareResult): string {
  const cases = result.metrics.map((metric): TestCase => {
    const { name, cells, note } = comparisonRow(metric);
    const text = [COMPARISON_COLUMNS.map((column, index) => `${column} ${cells[index]}`).join(", "), note ?? ""]
      .filter((part) => part !== "")
      .join("; ");
    if (metric.decision === "allowed") return { group: "metric", name, output: text };
    const kind = metric.decision === "regression" ? ("failure" as const) : ("error" as const);
    return { group: "metric", name, problem: { kind, message: text } };
  });
  const compared: TestCase = {
    group: "comparison",
    name: "is possible",
    ...(result.metrics.length === 0 && { problem: { kind: "error" as const, message: result.conclusion } }),
  };
  const startedAt = result.runs.new.map((run) => run.startedAt).sort()[0] ?? "";
  return junit(`assay compare ${result.scenario}`, startedAt, [compared, ...cases]);
}
