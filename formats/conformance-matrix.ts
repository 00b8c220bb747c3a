/** `matrix.json`: the conformance of several targets side by side, one row per clause. */

import { z } from "zod";
import { conformanceResult } from "./conformance.ts";
import { LEVELS, statement, verdictLine } from "./verdicts.ts";

/**
 * How the targets stand to each other in a clause: they came to different verdicts; those that checked it agree, and others
 * did not check it; or all came to one verdict. In the order in which reports show them.
 */
export const AGREEMENTS = ["differs", "partly", "same"] as const;
export type Agreement = (typeof AGREEMENTS)[number];

const matrixTarget = conformanceResult
  .pick({
    target: true,
    startedAt: true,
    finishedAt: true,
    tool: true,
    exitCode: true,
    verdict: true,
    conclusion: true,
    headline: true,
    problems: true,
    summary: true,
    evidence: true,
  })
  .extend({
    name: z.string().describe("what the target is called here; no two have one name"),
    folder: z.string().describe("folder of its own reports, in the folder of this file"),
    source: z.string().describe("folder that the result was read from, as it was named"),
    profile: z.string().describe("profile that was checked: service or openai"),
  });
export type MatrixTarget = z.infer<typeof matrixTarget>;

const matrixCell = verdictLine.pick({ verdict: true, reason: true, blockedBy: true, evidence: true }).extend({
  selected: z.boolean().describe("whether the run checks the clause"),
});
export type MatrixCell = z.infer<typeof matrixCell>;

const matrixRow = z.object({
  id: z.string().describe("id of the clause"),
  area: z.string().describe("area of the clause"),
  level: z.enum(LEVELS).describe("how binding the clause is, in the first result that has it"),
  text: z.string().describe("what is checked, in words"),
  specification: z.array(statement).describe("the statements of the specification that it checks"),
  agreement: z.enum(AGREEMENTS).describe("how the targets stand to each other in this clause"),
  cells: z
    .array(matrixCell.nullable())
    .describe("one per target, in the order of `targets`; null where the result has no such clause"),
});
export type MatrixRow = z.infer<typeof matrixRow>;

export const conformanceMatrix = z.object({
  schema: z.literal("assay.conformance-matrix/1"),
  tool: z.string().describe("version of Assay"),
  exitCode: conformanceResult.shape.exitCode,
  conclusion: z.string().describe("how many targets conform, and in how many clauses they differ"),
  notes: z.array(z.string()).describe("what keeps the columns from being compared as they are, a sentence each"),
  targets: z.array(matrixTarget).describe("the columns"),
  clauses: z.array(matrixRow).describe("the rows: what differs first, the worst verdict first"),
});
export type ConformanceMatrix = z.infer<typeof conformanceMatrix>;

/** Writes `matrix.json`, checked against its own schema first. */
export const conformanceMatrixJson = (matrix: ConformanceMatrix): string =>
  `${JSON.stringify(conformanceMatrix.parse(matrix), null, 2)}\n`;
