/** The lines of `verdicts.jsonl` and `exchanges.jsonl`, as the conformance suite writes them. */

import { z } from "zod";

const LEVELS = ["required", "recommended", "observed", "compatible"] as const;
export type Level = (typeof LEVELS)[number];

export const VERDICTS = [
  "FAIL",
  "HARNESS-ERROR",
  "WARN",
  "BLOCKED",
  "INCONCLUSIVE",
  "KNOWN",
  "NOT-RUN",
  "NOT-APPLICABLE",
  "OBSERVED",
  "PASS",
] as const;
export type Verdict = (typeof VERDICTS)[number];

const clause = { id: z.string(), area: z.string(), level: z.enum(LEVELS), text: z.string() };

export const plannedClause = z.object({ ...clause, selected: z.boolean(), reason: z.string().optional() });

export const verdictHeader = z.object({
  schema: z.literal("assay.verdicts/1"),
  target: z.string(),
  settings: z.record(z.string(), z.unknown()).default({}),
  startedAt: z.string(),
  clauses: z.array(plannedClause),
});

export const verdictLine = z.object({
  ...clause,
  verdict: z.enum(VERDICTS),
  reason: z.string(),
  blockedBy: z.string().optional(),
  evidence: z.array(z.int()),
});
export type VerdictLine = z.infer<typeof verdictLine>;

export const verdictEnd = z.object({
  finishedAt: z.string(),
  /** Entries of the baseline that have expired or now pass, a sentence each. */
  staleBaseline: z.array(z.string()).default([]),
});

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export const exchange = z.object({
  id: z.int(),
  probe: z.string().optional(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers,
    body: z.string().optional(),
    /** Sent on purpose without a key, or with one that nobody was given. */
    key: z.enum(["none", "wrong"]).optional(),
  }),
  answer: z
    .object({
      status: z.int(),
      headers,
      body: z.string().default(""),
      truncated: z.boolean().default(false),
      headersMs: z.number().optional(),
      endMs: z.number().optional(),
    })
    .optional(),
  failure: z.object({ kind: z.string(), message: z.string() }).optional(),
  startedAt: z.string().optional(),
});
export type Exchange = z.infer<typeof exchange>;
