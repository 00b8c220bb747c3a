/** What happened when in a run: the marks of its plots and of its strip, and the part of the page that tells more. */

import type { RunResult, RunSteadiness, RunWindow } from "../../../formats/run.ts";
import type { ChartGroup, RunCharts } from "../../../formats/run-charts.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { formatFigure, formatNumber, formatValue, plural } from "../../numbers.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { STEPS_ID } from "./breakdown-tables.ts";
import type { SECTIONS } from "./sections.ts";

export type MomentKind =
  | "warm-up"
  | "drain"
  | "step"
  | "outage"
  | "failures"
  | "stopped"
  | "late"
  | "missed"
  | "recovery"
  | "unsteady"
  | "stall";

/** A time of a run, in seconds of it. */
export interface Moment {
  readonly kind: MomentKind;
  readonly from: number;
  readonly to: number;
  /** In a few words. */
  readonly label: string;
  /** The same in full, without its times. */
  readonly text: string;
  /** Where the page tells more. */
  readonly section: keyof typeof SECTIONS | typeof STEPS_ID;
}

/** What moments are read from. */
export type Timed = Pick<
  RunResult,
  "windows" | "outages" | "interruptions" | "steadiness" | "steps" | "periodicStalls" | "charts"
> &
  Partial<Pick<RunResult, "slos" | "failures" | "validity">>;

/** The time that plots of a run show, in seconds. */
export function timesOf({ windows }: Pick<RunResult, "windows">): { from: number; to: number } {
  const last = windows.at(-1);
  return { from: 0, to: last === undefined ? 1 : last.t + 1 };
}

/** From when to when a phase lasted, in seconds. */
export function phaseOf(windows: readonly RunWindow[], phase: RunWindow["phase"]) {
  const own = windows.filter((window) => window.phase === phase);
  return { from: own[0]?.t ?? 0, to: (own.at(-1)?.t ?? -1) + 1, isThere: own.length > 0 };
}

/**
 * The moments of a run.
 * @param group whose stalls are meant; absent: of all operations
 */
export function momentsOf(run: Timed, group?: ChartGroup): Moment[] {
  const { windows, outages, interruptions = [], steps = [] } = run;
  const measured = phaseOf(windows, "measure");
  const phases = (["warmup", "drain"] as const).flatMap((phase): Moment[] => {
    const { from, to, isThere } = phaseOf(windows, phase);
    return isThere ? [{ ...PHASES[phase], from, to, section: "run" }] : [];
  });
  return [
    ...phases,
    ...outages.map((outage): Moment => {
      const { fromS: from, toS: to, requests, recovered } = outage;
      const text = `no response to ${plural(requests, "request")}${recovered ? "" : " until the end"}`;
      return { kind: "outage", from, to, label: "no response", text, section: failuresOf(run) };
    }),
    ...failureTimes(run),
    ...interruptions.map(({ fromS: from, toS: to }): Moment => ({ ...STOPPED, from, to })),
    ...lateTimes(run),
    ...ofObjectives(run),
    ...unsteadyTime(run.steadiness, measured),
    ...steps.map(({ fromS, toS, rate, due, failed }): Moment => {
      const [from, to] = [measured.from + fromS, measured.from + toS];
      const text = `${rate}: ${formatNumber(due)} due, ${formatNumber(failed)} failed`;
      return { kind: "step", from, to, label: rate, text, section: STEPS_ID };
    }),
    ...stallTimes(run.charts, group),
    ...(run.periodicStalls?.endedS ?? []).map((endedS): Moment => {
      const at = measured.from + endedS;
      return { ...STALL, from: at, to: at, label: "periodic stall", text: "streams were silent at equal distances" };
    }),
  ];
}

const PHASES = {
  warmup: { kind: "warm-up", label: "warm-up", text: "warm-up, which is not measured" },
  drain: { kind: "drain", label: "drain", text: "drain: no new arrivals" },
} as const;

const STOPPED = {
  kind: "stopped",
  label: "load generator stopped",
  text: "the load generator did not run: times measured here are not those of the target",
  section: "load-generator",
} as const;

const STALL = {
  kind: "stall",
  label: "stall",
  text: `streams were silent for more than ${formatValue(STALL_MS, "ms")}`,
  section: "latencies",
} as const;

const failuresOf = ({ failures = [] }: Timed): Moment["section"] => (failures.length > 0 ? "failures" : "outcomes");

/** Fewer failures of a kind, more kinds, and a longer share of the run say nothing about a time. */
const FAILURE_TIMES = { count: 5, kinds: 3, share: 0.5 } as const;

/** The times of the most frequent failures that did not occur throughout and are no outage. */
function failureTimes({ windows, outages, failures = [] }: Timed): Moment[] {
  const { to: length } = timesOf({ windows });
  return failures
    .slice(0, FAILURE_TIMES.kinds)
    .filter(
      ({ firstS, lastS, count }) =>
        count >= FAILURE_TIMES.count &&
        lastS - firstS <= FAILURE_TIMES.share * length &&
        !outages.some(({ fromS, toS }) => fromS <= firstS + 1 && lastS <= toS + 1),
    )
    .map((failure) => {
      const label = failureName(failure);
      const text = `${formatNumber(failure.count)} × ${label}`;
      return {
        ...{ kind: "failures", label, text, section: "failures" },
        from: failure.firstS,
        to: failure.lastS,
      };
    });
}

/** The seconds in which the load generator was later than its limit. */
function lateTimes({ windows, validity }: Timed): Moment[] {
  const limitOf = (name: "schedule lag" | "wake-up latency"): number =>
    validity?.lateness.find((each) => each.name === name)?.limitMs ?? Number.POSITIVE_INFINITY;
  const [lag, wake] = [limitOf("schedule lag"), limitOf("wake-up latency")];
  const late = windows.filter(
    ({ phase, lagP99Ms = 0, wakeP90Ms = 0 }) => phase !== "warmup" && (lagP99Ms > lag || wakeP90Ms > wake),
  );
  const times: { from: number; to: number; most: number }[] = [];
  for (const { t, lagP99Ms = 0, wakeP90Ms = 0 } of late) {
    const [before, most] = [times.at(-1), Math.max(lagP99Ms, wakeP90Ms)];
    if (before?.to === t) Object.assign(before, { to: t + 1, most: Math.max(before.most, most) });
    else times.push({ from: t, to: t + 1, most });
  }
  return times.map(({ from, to, most }) => {
    const text = `the load generator was late by up to ${formatFigure(most)} ms: times measured here are up to that much too long`;
    return { kind: "late", from, to, label: "load generator late", text, section: "load-generator" };
  });
}

/** Windows that missed an objective, and recoveries; one that did not end lasts until the rate changes, or to the end. */
function ofObjectives({ windows, slos = [], steps = [] }: Timed): Moment[] {
  const measured = phaseOf(windows, "measure");
  const changes = [...steps.map(({ fromS }) => measured.from + fromS), measured.to];
  return slos.flatMap(({ expr, missedAt = [], recoveries = [] }) => [
    ...missedAt.map(({ fromS: from, toS: to }): Moment => {
      const label = `missed: ${expr}`;
      return { kind: "missed", from, to, label, text: label, section: "objectives" };
    }),
    ...recoveries.flatMap(({ after, atS: from, tookS }): Moment[] => {
      if (tookS === 0) return [];
      const to = tookS === undefined ? (changes.find((at) => at > from) ?? from) : from + tookS;
      const label = tookS === undefined ? "not recovered" : `recovery ${tookS.toFixed(1)} s`;
      return [{ kind: "recovery", from, to, label, text: `${label} ${AFTER[after]}`, section: "objectives" }];
    }),
  ]);
}

const AFTER = {
  fall: "after the fall of the rate",
  rise: "after the rise of the rate",
  idle: "after idle time",
  outage: "after the outage",
  failures: "after the failures",
} as const;

/** The part that is not steady. Without an instant since when it is steady, none of the measured window is. */
function unsteadyTime(
  steadiness: RunSteadiness | undefined,
  { from, to, isThere }: ReturnType<typeof phaseOf>,
): Moment[] {
  if (steadiness?.steady !== false || !isThere) return [];
  const { sinceS } = steadiness;
  const until = sinceS === undefined ? to : Math.min(to, from + sinceS);
  const text = "not steady: the latency of the target changed";
  return [{ kind: "unsteady", from, to: until, label: "not steady", text, section: "latencies" }];
}

/** The groups that have each request of a run once: those of the most general dimension. */
export const wholeGroups = ({ groups = [] }: Partial<RunCharts> = {}): ChartGroup[] =>
  groups.filter(({ by }) => by === groups[0]?.by);

/** The intervals in which a gap ended that was longer than a stall. */
function stallTimes(charts: Partial<RunCharts> = {}, group?: ChartGroup): Moment[] {
  const { intervalS = 1 } = charts;
  const own = group === undefined ? wholeGroups(charts) : [group];
  const times = new Set(own.flatMap(({ rates }) => rates.flatMap(([t, , , , , stalls]) => (stalls > 0 ? [t] : []))));
  return [...times].map((t) => ({ ...STALL, from: t, to: t + intervalS }));
}
