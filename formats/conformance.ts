/** `conformance.json`: the result of a conformance run, as every report reads it. */

import { z } from "zod";
import { plannedClause, statement, trafficCounts, verdictLine } from "./verdicts.ts";

const tally = z.object({ total: z.number(), verified: z.number(), failed: z.number(), unverified: z.number() });
export type Tally = z.infer<typeof tally>;

const clauseResult = verdictLine.omit({ at: true }).extend({ selected: plannedClause.shape.selected });
export type ClauseResult = z.infer<typeof clauseResult>;

export const conformanceResult = z.object({
  schema: z.literal("assay.conformance/1"),
  target: z.string(),
  startedAt: z.string(),
  /** Absent when the run was interrupted. */
  finishedAt: z.string().optional(),
  tool: z.string(),
  settings: z.record(z.string(), z.unknown()),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  /** The result in a word and what it is about: `CONFORMS (chat, embeddings; video not run; 3 warnings)`. */
  verdict: z.string(),
  /** Why the exit code is what it is. */
  conclusion: z.string(),
  /** Such as `118 of 118 required verified, 4 not applicable, 2 known, 31 video not run`. */
  headline: z.string(),
  /** What is wrong with the record or the baseline; empty when nothing is. */
  problems: z.array(z.string()),
  summary: z.object({
    /** Selected clauses less those not applicable and known; of compatible ones only with that profile. */
    required: tally,
    compatible: tally,
    /** `failed` counts warnings. */
    recommended: tally,
    observed: z.number(),
  }),
  clauses: z.array(clauseResult),
  /** For the traffic of others: how much there was, and which statements of the specification it never exercised. */
  traffic: trafficCounts
    .extend({
      statements: z.object({
        total: z.int(),
        exercised: z.int(),
        never: z.array(statement.extend({ reason: z.string() })),
      }),
    })
    .optional(),
});
export type ConformanceResult = z.infer<typeof conformanceResult>;

/** Reads a `conformance.json` that was parsed from JSON. @throws ZodError */
export const parseConformanceResult = (value: unknown): ConformanceResult => conformanceResult.parse(value);

/** Writes `conformance.json`, checked against its own schema first. */
export const conformanceJson = (result: ConformanceResult): string =>
  `${JSON.stringify(conformanceResult.parse(result), null, 2)}\n`;
