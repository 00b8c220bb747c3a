/** `conformance.json`: the result of a conformance run, as every report reads it. */

import { z } from "zod";
import { recordedCheckSettings } from "./exchanges.ts";
import { basis, plannedClause, statement, trafficCounts, verdictLine } from "./verdicts.ts";

const tally = z
  .object({
    total: z.number().describe("number of clauses"),
    verified: z.number().describe("clauses that were decided"),
    failed: z.number().describe("clauses that failed; of recommended ones, warnings"),
    unverified: z.number().describe("clauses that could not be decided"),
  })
  .meta({ id: "tally" });
export type Tally = z.infer<typeof tally>;

const clauseResult = verdictLine.omit({ at: true }).extend({ selected: plannedClause.shape.selected });
export type ClauseResult = z.infer<typeof clauseResult>;

export const evidenceFile = z.object({
  file: z
    .string()
    .describe("name of the file, in the folder of the result or, of several folders, in the one that holds them"),
  bytes: z.int().describe("size in bytes"),
  sha256: z.string().describe("SHA-256 of its bytes, in hexadecimal"),
});
export type EvidenceFile = z.infer<typeof evidenceFile>;

export const conformanceResult = z.object({
  schema: z.literal("assay.conformance/1"),
  target: z.string().describe("base address of the target"),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  finishedAt: z.string().optional().describe("absent when the run was interrupted"),
  tool: z.string().describe("version of Assay"),
  settings: recordedCheckSettings,
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]).describe("exit code of the command"),
  verdict: z
    .string()
    .describe("the result in a word and what it is about: `CONFORMS (chat, embeddings; video not run; 3 warnings)`"),
  conclusion: z.string().describe("why the exit code is what it is"),
  headline: z
    .string()
    .describe(
      "such as `118 of 118 required verified, 4 not applicable, 2 known, 31 video not run; 24 chats, 10 streams, 35 embeddings, 60 refusals in 4 s`",
    ),
  basis: basis.optional().describe("what the verdicts rest on; absent in older results and of an interrupted run"),
  problems: z.array(z.string()).describe("what is wrong with the record or the baseline; empty when nothing is"),
  summary: z
    .object({
      required: tally.describe(
        "selected clauses less those not applicable and known; of compatible ones only with that profile",
      ),
      compatible: tally.describe("selected clauses of the profile openai, counted in the same way"),
      recommended: tally.describe("`failed` counts warnings"),
      observed: z.number().describe("clauses that only observe"),
    })
    .describe("number of selected clauses, by level"),
  clauses: z.array(clauseResult).describe("every clause, with its verdict"),
  evidence: z
    .array(evidenceFile)
    .optional()
    .describe(
      "the files that the verdicts were made of, by which `assay replay` verifies them; absent in older results",
    ),
  traffic: trafficCounts
    .extend({
      statements: z
        .object({
          total: z.int().describe("statements that clauses check"),
          exercised: z.int().describe("those that the traffic exercised"),
          never: z
            .array(
              statement.extend({
                reason: z.string().describe("why"),
                checkable: z
                  .boolean()
                  .optional()
                  .describe(
                    "whether traffic can exercise it: false of one that takes a probe; absent in older results",
                  ),
              }),
            )
            .describe("those that it did not"),
        })
        .describe("statements of the specification"),
    })
    .optional()
    .describe("of recorded traffic: how much there was, and which statements of the specification it never exercised"),
});
export type ConformanceResult = z.infer<typeof conformanceResult>;

/** Writes `conformance.json`, checked against its own schema first. */
export const conformanceJson = (result: ConformanceResult): string =>
  `${JSON.stringify(conformanceResult.parse(result), null, 2)}\n`;
