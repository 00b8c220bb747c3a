/**
 * How long a target takes, after the rate fell or rose for good, after idle time, after an outage and after a time of failures,
 * until the objectives hold again and go on to hold: `recovery<30s`. Pure.
 */

import type { Outage, Recovery, SloResult } from "../../../formats/run.ts";
import { metric } from "../../../load/objectives/metrics.ts";
import { holds, isUpper, type Slo, shareBeyond } from "../../../load/objectives/slo.ts";
import type { RateStage } from "../../../settings/load/rates.ts";
import { formatSeconds, formatValue, plural } from "../../numbers.ts";
import { listOf } from "../../tables/columns.ts";
import { BANDED, holdsSql, lowColumn, overlapsSql } from "../read/calls-sql.ts";
import { allOf, isOfSql, MEASURED, type Requests } from "../read/measured-requests.ts";
import { isFailure, isNeither, UNIT_OUTCOMES } from "../read/unit-outcomes.ts";
import { type Units, unitsSql } from "../read/unit-rows.ts";
import { decideShare } from "./decide-share.ts";
import { type FailureTime, FailureTimes } from "./failure-times.ts";
import { stagesOf } from "./rate-stages.ts";
import type { Plan, Span } from "./span.ts";
import { canHaveFailedSql, type OwnFaults, rowsOf, type Selection, whichUnits } from "./unit-counts.ts";

/** What a target recovers from. Instants in milliseconds since 1970. */
interface Disturbance {
  readonly after: Recovery["after"];
  /** When it was over. */
  readonly at: number;
  /** When the rate changed next, or the measured time was over. */
  readonly until: number;
  /** An outage or a time of failures that did not end. */
  readonly goesOn?: true;
}

interface RateChange {
  readonly from: number;
  readonly at: number;
  /** `pause`: to nothing for a whole stage or more, whose end is `idle`. */
  readonly kind: Exclude<Recovery["after"], "outage" | "failures"> | "pause";
}

const isIdle = (stage: RateStage | undefined): boolean => stage?.from === 0 && stage.to === 0;

const kindOf = (before: number, after: number, next: RateStage | undefined): RateChange["kind"] =>
  isIdle(next) ? "pause" : after < before ? "fall" : "rise";

/** Changes of the rate of the whole load, in order. */
function changesOf({ rate, duration = 0 }: Plan, span: Span): RateChange[] {
  const stages = stagesOf(rate);
  const length = duration / Math.max(1, stages.length);
  return stages.flatMap((stage, index): RateChange[] => {
    const { from, to } = stage;
    const [begin, end] = [span.from + index * length, span.from + (index + 1) * length];
    const last = stages[index - 1];
    const before = last?.to ?? from;
    const afterIdle = isIdle(last) && !isIdle(stage);
    return [
      ...(afterIdle ? [{ from: begin, at: begin, kind: "idle" as const }] : []),
      ...(afterIdle || before === from ? [] : [{ from: begin, at: begin, kind: kindOf(before, from, stage) }]),
      ...(from === to ? [] : [{ from: begin, at: end, kind: kindOf(from, to, stages[index + 1]) }]),
    ];
  });
}

/**
 * The falls of the rate, a rise that no fall follows, the ends of idle time, the outages, and the times of failures in which none of
 * these is. A spike is over when the rate falls.
 */
export function disturbancesOf(
  plan: Plan,
  span: Span,
  outages: readonly Outage[],
  failures: readonly FailureTime[] = [],
): Disturbance[] {
  const changes = changesOf(plan, span);
  const untilOf = (at: number): number =>
    changes.reduce((until, { from }) => (from > at && from < until ? from : until), span.to);
  const lastFall = changes.findLastIndex(({ kind }) => kind === "fall");
  const ofRate = changes.flatMap(({ at, kind }, index) =>
    kind !== "pause" && (kind !== "rise" || index > lastFall) && at < untilOf(at)
      ? [{ after: kind, at, until: untilOf(at) }]
      : [],
  );
  const ofOutages = outages.flatMap(({ toS, recovered }) => {
    const at = span.origin + toS * 1_000;
    if (at <= span.from) return [];
    return [{ after: "outage" as const, at, until: untilOf(at), ...(!recovered && { goesOn: true as const }) }];
  });
  const known = [...ofRate, ...ofOutages];
  const ofFailures = failures.flatMap(({ from, to }): Disturbance[] => {
    const at = to ?? span.to;
    if (known.some((other) => from <= other.at && other.at <= at)) return [];
    return [{ after: "failures", at, until: untilOf(at), ...(to === undefined && { goesOn: true }) }];
  });
  return [...known, ...ofFailures];
}

/** The times in which most requests of the load failed, whatever part of it an objective is about. */
async function failureTimes({ requests, faults }: Source): Promise<readonly FailureTime[]> {
  const times = new FailureTimes();
  const sql = unitsBeyond(faults, { mixed: false }, "outcome <> 'not_started'");
  await requests.database.eachNumbers(sql, ([at = 0, failed = 0, certain = 0]) => {
    if (failed === certain) times.add(at, failed === 1);
  });
  return times.found();
}

/** An upper bound on a percentile or the error rate, of which single requests say whether they are beyond it. */
interface Watched {
  readonly slo: Slo;
  /** Share of the requests that may be beyond it. */
  readonly allowed: number;
}

/** The objectives that can be watched over time, of the same part of the load. */
const watchedIn = (slos: readonly Slo[], { part }: Slo): Watched[] =>
  slos.flatMap((slo) => {
    if (slo.part !== part || !isUpper(slo)) return [];
    if (isErrorRate(slo)) return [{ slo, allowed: slo.bound }];
    const allowed = shareBeyond(slo);
    return allowed === undefined || metric(slo.metric).ofRequest !== true ? [] : [{ slo, allowed }];
  });

/**
 * The last of the requests that are beyond a bound more often than is allowed, in the order of time: where the sum of what they
 * exceed a share by is largest (the estimate of a change point by cumulative sums).
 */
class Beyond {
  readonly #share: number;
  readonly #lateFrom: number;
  readonly #late = { count: 0, bad: 0 };
  #sum = 0;
  #largest = 0;
  /** When it was due; undefined before the first. */
  last: number | undefined;
  /** When the next one was. */
  next: number | undefined;
  /** Since then. */
  count = 0;
  bad = 0;
  /** Those until then that were due too late to meet the objective. */
  late = { count: 0, bad: 0 };

  /** @param lateFrom when the objective is missed */
  constructor(allowed: number, lateFrom: number) {
    this.#share = Math.min(0.5, 2 * allowed);
    this.#lateFrom = lateFrom;
  }

  add(at: number, isBeyond: boolean): void {
    this.#sum += (isBeyond ? 1 : 0) - this.#share;
    if (at >= this.#lateFrom) {
      this.#late.count += 1;
      if (isBeyond) this.#late.bad += 1;
    }
    if (isBeyond && this.#sum > this.#largest) {
      this.#largest = this.#sum;
      this.last = at;
      this.late = { ...this.#late };
      this.next = undefined;
      this.count = 0;
      this.bad = 0;
      return;
    }
    this.next ??= at;
    this.count += 1;
    if (isBeyond) this.bad += 1;
  }
}

/** How one objective fared after one disturbance: as measured, and without what the load generator may have caused. */
interface Course {
  readonly watched: Watched;
  readonly measured: Beyond;
  readonly atBest: Beyond;
}

interface Source {
  readonly requests: Requests;
  readonly units: Units;
  readonly faults: OwnFaults;
}

type Followed = Disturbance & { readonly courses: readonly Course[] };

/** Follows the objectives after each disturbance. */
async function follow(
  source: Source,
  bound: number,
  selection: Selection,
  watched: readonly Watched[],
  all: readonly Disturbance[],
): Promise<Followed[]> {
  const followed = all.map((each) => ({
    ...each,
    courses: watched.map((one) => ({
      watched: one,
      measured: new Beyond(one.allowed, each.at + bound),
      atBest: new Beyond(one.allowed, each.at + bound),
    })),
  }));
  for (const [index, { slo }] of watched.entries()) {
    const sql = isErrorRate(slo) ? unitsBeyond(source.faults, selection) : requestsBeyond(slo, selection);
    await source.requests.database.eachNumbers(sql, ([at = 0, measured = 0, atBest = 0]) => {
      for (const { at: from, until, courses } of followed) {
        if (at < from || at >= until) continue;
        courses[index]?.measured.add(at, measured === 1);
        courses[index]?.atBest.add(at, atBest === 1);
      }
    });
  }
  return followed;
}

const flag = (condition: string): string => `CAST(CAST(${condition} AS INTEGER) AS DOUBLE)`;

/** When units were due, and whether each failed: as measured, and without those that the load generator can have failed. */
function unitsBeyond(faults: OwnFaults, selection: Selection, more = "TRUE"): string {
  const failed = `outcome IN ${listOf(UNIT_OUTCOMES.filter(isFailure))}`;
  const ours = `CASE WHEN outcome = 'not_started' THEN ${overlapsSql(faults.unable, "scheduled_us")} ELSE coalesce(${canHaveFailedSql(faults)}, FALSE) END`;
  const where = `measured AND outcome NOT IN ${listOf(UNIT_OUTCOMES.filter(isNeither))} AND ${unitsSql(whichUnits(selection))} AND ${more}`;
  return `SELECT scheduled_us / 1000, ${flag(failed)}, ${flag(`(${failed} AND NOT ${ours})`)} FROM units WHERE ${where} ORDER BY scheduled_us, shard, own`;
}

/** When requests were due, and whether each is beyond the bound: as measured, and with the least that it can truly be. */
function requestsBeyond(slo: Slo, selection: Selection): string {
  const { metric: name } = slo;
  const least = BANDED.includes(name) ? lowColumn(name) : name;
  const where = allOf(MEASURED, "outcome = 'ok'", `${name} IS NOT NULL`, isOfSql(rowsOf(selection)));
  return `SELECT scheduled_us / 1000, ${flag(`(NOT ${holdsSql(slo, name)})`)}, ${flag(`(NOT ${holdsSql(slo, least)})`)} FROM calls WHERE ${where} ORDER BY scheduled_us, n`;
}

const isErrorRate = ({ metric: name }: Slo): boolean => name === "error_rate";

/** One request that is beyond a bound which allows some may be chance, whenever it comes. */
const isLate = ({ late: { bad, count } }: Beyond, { allowed }: Watched): boolean =>
  bad >= (allowed > 0 ? 2 : 1) && decideShare({ bad, count, allowed }, { tries: PLACES }) === false;

/** The last request that is beyond a bound is the one of many by which the target looks slowest to recover. */
const PLACES = 10;

/** Fewer requests do not show that an objective holds; and no fewer than one of which may be beyond it. */
const FEWEST = 20;

interface Decided {
  readonly recovery: Recovery;
  readonly ok: boolean | null;
  /** Why it is undecided. */
  readonly note?: string;
}

/** How long one recovery took, and whether that is within the bound. */
function decide(slo: Slo, { after, at, until, goesOn, courses }: Followed, span: Span): Decided {
  const atS = (at - span.origin) / 1_000;
  const never = (ok: boolean | null): Decided => ({
    recovery: { after, atS },
    ok,
    note: `${formatSeconds((until - at) / 1_000)} were measured after it`,
  });
  if (goesOn) return never(false);
  const isBroken = (of: Beyond, { allowed }: Watched): boolean =>
    of.count > 0 && decideShare({ bad: of.bad, count: of.count, allowed }) === false;
  const within = (ms: number): boolean => holds(ms, slo);
  const neverCertain = courses.some(
    ({ atBest, watched }) => isBroken(atBest, watched) || (atBest.last !== undefined && atBest.next === undefined),
  );
  if (neverCertain) return never(within(until - at) ? null : false);
  const least = Math.max(0, ...courses.map(({ atBest }) => (atBest.last ?? at) - at));
  const most = Math.max(
    0,
    ...courses.map(({ measured }) => (measured.last === undefined ? 0 : (measured.next ?? until) - at)),
  );
  const recovery = { after, atS, tookS: most / 1_000 };
  if (!within(least)) {
    const isCertain = courses.some(({ atBest, watched }) => isLate(atBest, watched));
    return isCertain ? { recovery, ok: false } : { recovery, ok: null, note: "what is late may be chance" };
  }
  if (!within(most))
    return { recovery, ok: null, note: `between ${formatValue(least, "ms")} and ${formatValue(most, "ms")}` };
  const few = courses.find(({ measured, watched }) => measured.count < Math.max(FEWEST, 1 / watched.allowed));
  if (few !== undefined) {
    const { expr } = few.watched.slo;
    return {
      recovery,
      ok: null,
      note: `${plural(few.measured.count, "request")} afterwards are too few to say that ${expr} holds`,
    };
  }
  const open = courses.find(({ measured, watched }) => measured.bad > watched.allowed * measured.count);
  return open === undefined
    ? { recovery, ok: true }
    : { recovery, ok: null, note: `${open.watched.slo.expr} may not hold afterwards` };
}

/** Whether requests show how the target fared after it; an outage that goes on shows it itself. */
const isSeen = ({ goesOn, courses }: Followed): boolean =>
  goesOn === true || courses.some(({ measured }) => measured.count > 0 || measured.last !== undefined);

const IN_WORDS = {
  fall: "the fall of the rate",
  rise: "the rise of the rate",
  idle: "the idle time",
  outage: "the outage",
  failures: "the time of failures",
} as const;

/** `after the fall of the rate at 180.0 s`. */
const disturbanceInWords = ({ after, atS }: Pick<Recovery, "after" | "atS">): string =>
  `after ${IN_WORDS[after]} at ${atS.toFixed(1)} s`;

const inWords = ({ recovery, note }: Decided): string =>
  `${recovery.tookS === undefined ? "not recovered " : ""}${disturbanceInWords(recovery)}${note === undefined ? "" : `; ${note}`}`;

/** What a recovery leaves out where no objective is about a latency: the target may stay as slow as it became. */
const ofFailuresAlone = (watched: readonly Watched[]): string =>
  watched.every(({ slo }) => isErrorRate(slo))
    ? `; by ${watched.map(({ slo }) => slo.expr).join(", ")} alone, no objective bounds a latency`
    : "";

/** Decides `recovery<30s`, by the other objectives of its part of the load. */
export async function evaluateRecovery(
  slo: Slo,
  slos: readonly Slo[],
  source: Source & { readonly span: Span; readonly plan: Plan; readonly outages: readonly Outage[] },
  selection: Selection,
): Promise<SloResult> {
  const { expr } = slo;
  const { plan, span, outages } = source;
  const watched = watchedIn(slos, slo);
  const disturbances = disturbancesOf(plan, span, outages, await failureTimes(source));
  if (disturbances.length === 0 || watched.length === 0) {
    const note =
      watched.length === 0
        ? "no objective to hold again"
        : "nothing to recover from: the rate did not change, and there was neither an outage nor a time in which most requests failed";
    return { expr, observed: null, ok: null, note };
  }
  const followed = await follow(source, slo.bound, selection, watched, disturbances);
  const decided = followed.filter(isSeen).map((each) => decide(slo, each, span));
  const unseen = followed.find((each) => !isSeen(each));
  const tookOf = ({ recovery: { tookS } }: Decided): number => tookS ?? Number.POSITIVE_INFINITY;
  const isUndecided = unseen !== undefined || decided.some((each) => each.ok === null);
  const ok = decided.some((each) => each.ok === false) ? false : isUndecided ? null : true;
  const [shown] = decided.filter((each) => each.ok === ok).toSorted((a, b) => tookOf(b) - tookOf(a));
  const longest = Math.max(...decided.map(tookOf));
  const nothingAfter =
    unseen &&
    `${disturbanceInWords({ after: unseen.after, atS: (unseen.at - span.origin) / 1_000 })}; nothing was measured afterwards`;
  const note = shown === undefined ? nothingAfter : inWords(shown) + ofFailuresAlone(watched);
  return {
    expr,
    observed: Number.isFinite(longest) ? longest * 1_000 : null,
    ok,
    ...(note !== undefined && { note }),
    recoveries: decided.map(({ recovery }) => recovery),
  };
}
