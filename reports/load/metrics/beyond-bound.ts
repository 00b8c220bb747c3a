/**
 * How many samples are beyond the bound of an objective on a percentile: these are the units of a share that the percentile
 * allows, so that both are decided by one rule.
 */

import type { Counts } from "../../../formats/run.ts";
import { holds, isUpper, type Slo, shareBeyond } from "../../../load/objectives/slo.ts";
import { holdsSql } from "../read/calls-sql.ts";
import type { GapTotals } from "../read/measured-requests.ts";
import type { Sample } from "../stats/sample.ts";
import type { Certainty, ShareRange } from "./decide-share.ts";

/** The least and the most that the values of a metric may truly be, and what the values of further samples are larger than. */
export interface KnownValues {
  readonly least: Sample;
  readonly most: Sample;
  readonly largerThan: Sample;
}

/** Samples that are beyond a bound, as far as is known. */
export interface Beyond extends ShareRange {
  /** What is counted: gaps count by request, turns by conversation. */
  readonly of: "request" | "conversation";
  readonly withGaps?: true;
  /** Samples of which only a lower bound is known: requests that did not start or end. */
  readonly open: number;
  /** Values are rounded, as those of a histogram are. */
  readonly isRounded?: boolean;
}

/** What decides in addition to the figures: units that are neither ok nor failed, and how sure a verdict is to be. */
export type Context = Pick<Counts, "unfinished"> &
  Partial<Pick<Counts, "outcomes">> &
  Certainty & {
    readonly possiblyOurs?: number;
    /** Of an objective on goodput: requests that together tell as much as one that is independent. */
    readonly alike?: number | undefined;
    /** Of an objective on a percentile: samples beyond its bound. */
    readonly beyond?: () => Beyond | undefined;
    /** How long was measured, in milliseconds, where `--duration` decides it. */
    readonly lasts?: number | undefined;
  };

/** How many values there are, and how many of them are beyond a bound. */
export interface BeyondCounts {
  readonly count: number;
  /** With the least, and the most, that each may truly be. */
  readonly least: number;
  readonly most: number;
  /** Further values that are only known to be larger than one, and those of them that are beyond for certain. */
  readonly further: number;
  readonly open: number;
}

/**
 * Those of single values; undefined of an objective that is not on a percentile.
 * @param independent how many of the known values are: the turns of one conversation are not
 * @param alike of the values, as the order of time tells
 */
export async function beyondBound(
  slo: Slo,
  { least, most, largerThan }: KnownValues,
  independent?: number,
  alike = 1,
): Promise<Beyond | undefined> {
  const isBeyond = `NOT ${holdsSql(slo, "v")}`;
  const counts = {
    count: await least.count,
    least: await least.countIf(isBeyond),
    most: await most.countIf(isBeyond),
    further: await largerThan.count,
    open: await largerThan.countIf(isBeyond),
  };
  return beyondOf(slo, counts, independent, alike);
}

/** The same of values that were counted. */
export function beyondOf(
  slo: Slo,
  { count, least, most, further, open }: BeyondCounts,
  independent = count,
  alike = 1,
): Beyond | undefined {
  const allowed = shareBeyond(slo);
  if (allowed === undefined) return undefined;
  const each = count === 0 ? 1 : independent / count;
  const [low, high] = [least * each, most * each];
  const range = isUpper(slo)
    ? { certain: low + open, possible: high + further }
    : { certain: high, possible: low + open };
  const of = each < 1 ? "conversation" : "request";
  // What is alike within a conversation is counted once already.
  const inTime = Math.max(1, alike * each);
  return { ...range, count: independent + further, allowed, alike: inTime, of, open: further };
}

/**
 * The same of gaps: those of one request are alike, so the share of them counts as that of the requests.
 * @param alike of the requests, as the order of time tells
 */
export function gapsBeyondBound(
  slo: Slo,
  { least, most, pool, requests }: Pick<GapTotals, "least" | "most" | "pool" | "requests">,
  alike = 1,
): Beyond | undefined {
  const allowed = shareBeyond(slo);
  if (allowed === undefined || least.count === 0) return undefined;
  const isBeyond = (ms: number): boolean => !holds(ms, slo);
  const each = requests / least.count;
  const ends = [least.countIf(isBeyond, "least") * each, most.countIf(isBeyond, "most") * each];
  return {
    ...{ certain: Math.min(...ends), possible: Math.max(...ends), count: requests, allowed, alike },
    ...{ of: "request", withGaps: true, open: 0, isRounded: pool.error > 0 },
  };
}
