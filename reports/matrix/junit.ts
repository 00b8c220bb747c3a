/** Several targets as one suite of JUnit XML: the test cases of each, under its name. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import type { ConformanceMatrix } from "../../formats/conformance-matrix.ts";
import { conformanceCases } from "../conformance/junit.ts";
import { junit } from "../xml.ts";

/** @param results in the order of the columns */
export function matrixJunit({ targets, conclusion }: ConformanceMatrix, results: readonly ConformanceResult[]): string {
  const cases = results.flatMap((result, index) =>
    conformanceCases(result).map((one) => ({ ...one, group: `${targets[index]?.name}: ${one.group}` })),
  );
  const startedAt = results.map((result) => result.startedAt).toSorted()[0] ?? "";
  return junit(`assay report: ${conclusion}`, startedAt, cases);
}
