/** The baseline: failures that are known, each with a reason and a day on which it stops being excused. */

import { z } from "zod";
import { type BaselineEntry, baseline as baselineFile } from "../../formats/verdicts.ts";
import { shapeError } from "../../lib/shape-error.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { parseYaml } from "../../lib/yaml.ts";
import { nearest } from "../../settings/nearest.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import type { Clause } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";

export type Baseline = readonly BaselineEntry[];

const EXAMPLE = '- { clause: chat.status, reason: "fixed in the next release", expires: 2027-01-31 }';

/**
 * Reads a baseline from a YAML file; none when no file is given.
 * @throws UsageError when it cannot be read, or an entry names a clause that does not exist or cannot fail, or names one twice
 */
export function readBaseline(file: string | undefined, clauses: readonly Clause[]): Baseline {
  if (file === undefined) return [];
  const entries = parsed(file);
  for (const [index, { clause }] of entries.entries()) {
    const fault = faultOf(clause, clauses, entries.slice(0, index));
    if (fault !== undefined) throw new UsageError(`Cannot use the baseline ${file}: ${fault}`);
  }
  return entries;
}

function parsed(file: string): Baseline {
  try {
    return baselineFile.parse(parseYaml(readTextFile(file)) ?? []);
  } catch (error) {
    const reason = error instanceof z.ZodError ? shapeError(error) : reasonOf(error);
    throw new UsageError(`Cannot read the baseline ${file}: ${reason}. It holds entries such as: ${EXAMPLE}`);
  }
}

function faultOf(id: string, clauses: readonly Clause[], earlier: Baseline): string | undefined {
  const named = clauses.find((clause) => clause.id === id);
  if (named?.level === "observed") return `"${id}" is only observed and can never fail. Take the entry out.`;
  if (named !== undefined) return earlier.some(({ clause }) => clause === id) ? `it lists "${id}" twice.` : undefined;
  const ids = clauses.map((clause) => clause.id);
  const meant = nearest(id, ids);
  const hint = meant === undefined ? "assay conformance --list prints all clauses." : `Did you mean "${meant}"?`;
  return `it lists "${id}", which is not a clause. ${hint}`;
}

const isExpired = ({ expires }: BaselineEntry, startedAt: string): boolean => expires < startedAt.slice(0, 10);

/**
 * Applies the baseline to a verdict: a failure that is listed becomes KNOWN, and so does a listed clause that
 * cannot be checked because of one that is listed too. Clauses that need this one get its original verdict.
 * @param startedAt ISO time of the run's start, against which entries expire
 */
export function applyBaseline(
  baseline: Baseline,
  startedAt: string,
  id: string,
  original: ClauseVerdict,
): ClauseVerdict {
  const listed = (one: string): BaselineEntry | undefined =>
    baseline.find((entry) => entry.clause === one && !isExpired(entry, startedAt));
  const entry = listed(id);
  const { verdict, reason, blockedBy } = original;
  const failed = verdict === "FAIL" || verdict === "WARN" || (blockedBy !== undefined && listed(blockedBy));
  if (entry === undefined || !failed) return original;
  return { ...original, verdict: "KNOWN", reason: `${entry.reason} (known until ${entry.expires}): ${reason}` };
}

/** What is out of date about a baseline, one sentence per entry: it has expired, or its clause passes now. */
export function staleEntries(
  baseline: Baseline,
  startedAt: string,
  verdicts: ReadonlyMap<string, Pick<ClauseVerdict, "verdict">>,
): readonly string[] {
  return baseline.flatMap((entry) => {
    const { clause, expires } = entry;
    if (verdicts.get(clause)?.verdict === "PASS") return [`${clause} passes now; take it out of the baseline`];
    return isExpired(entry, startedAt) ? [`${clause} is excused no longer: its entry expired on ${expires}`] : [];
  });
}
