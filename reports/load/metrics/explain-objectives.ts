/** Why objectives were missed: which failures, when, and of which workloads, as far as a result tells. Pure. */

import type { Failure, RunResult, RunWindow, SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { metric } from "../../../load/objectives/metrics.ts";
import { holds, parseSlo, type Slo } from "../../../load/objectives/slo.ts";
import { modelOfPart } from "../../../settings/load/models.ts";
import { formatNumber, formatSeconds, formatValue, plural } from "../../numbers.ts";
import { canSend, workloadsOf } from "../read/run-workloads.ts";
import { differenceInWords } from "./canary-answers.ts";
import { GOODPUT } from "./evaluate-slo.ts";
import { failureName, whenOf } from "./explain-failures.ts";

type Explained = Pick<
  RunResult,
  | "slos"
  | "failures"
  | "counts"
  | "metrics"
  | "windows"
  | "parts"
  | "models"
  | "tenants"
  | "settings"
  | "saturation"
  | "conversations"
  | "canary"
  | "charts"
>;

/** What single requests tell of an objective on one of their values: a sentence; undefined where that is nothing. */
type Explain = (slo: Slo) => string | undefined;

/** The objectives of a run, each missed one with its cause. */
export const withCauses = (run: Explained, explain: Explain = () => undefined): SloResult[] =>
  run.slos.map((result) => {
    const cause = result.ok === false ? causeOf(parseSlo(result.expr), run, explain) : undefined;
    return cause === undefined ? result : { ...result, cause };
  });

/** Kinds of failures that a cause names; the table of failures has all. */
const NAMED = 3;

function causeOf(slo: Slo, run: Explained, explain: Explain): string | undefined {
  if (slo.metric === "canary_changed") return run.canary?.first && differenceInWords(run.canary.first);
  const { kind } = metric(slo.metric);
  const causes =
    slo.each || kind === "distribution"
      ? ofValues(slo, run, explain(slo))
      : slo.metric === "stall"
        ? largestGap(slo, run)
        : [...failuresFor(slo, run), ...ofOne(slo, run), ...exceeded(slo, run)];
  const queue = run.saturation === undefined || slo.part !== undefined ? [] : ["the queue of the target grew"];
  const all = [...causes, ...queue];
  return all.length === 0 ? undefined : all.join("; ");
}

/** What explains single requests says the most; without it, what seconds, parts and the whole tell. */
const ofValues = (slo: Slo, run: Explained, explained: string | undefined): string[] =>
  explained === undefined
    ? [...inTime(slo, run), ...byPart(slo, run), ...spreadOf(slo, run)].slice(0, 2)
    : [explained, ...spreadOf(slo, run)];

const partOf = ({ part }: Slo, { parts, models }: Explained) =>
  part === undefined ? undefined : (parts?.[part] ?? models?.[modelOfPart(part) ?? ""]);

/** What failed of the load, or of the part that the objective is for: `60 × 500 internal server error from 9.4 to 12.3 s`. */
function failuresFor(slo: Slo, run: Explained): string[] {
  const counts = partOf(slo, run)?.counts ?? run.counts;
  const own = ownFailures(slo, run);
  const kinds =
    own === undefined
      ? Object.entries(counts.outcomes)
          .filter(([outcome]) => outcome !== "ok" && outcome !== "not_started")
          .map(([outcome, count]) => `${formatNumber(count)} × ${nameOf(outcome, run)}`)
      : joined(own).map(
          (failure) => `${formatNumber(failure.count)} × ${failureName(failure)} ${whenOf(failure)}${ageOf(failure)}`,
        );
  const more = kinds.length - NAMED;
  return [
    ...(counts.not_started > 0 ? [`${plural(counts.not_started, "arrival")} never started`] : []),
    ...(kinds.length > 0
      ? [[...kinds.slice(0, NAMED), ...(more > 0 ? [`${plural(more, "more kind")} of failures`] : [])].join(", ")]
      : []),
  ];
}

const ageOf = ({ afterMs }: Failure): string =>
  afterMs === undefined ? "" : `, nearly all ${formatSeconds(afterMs / 1_000)} after they were sent`;

/** Failures of one name together, whatever their operation, the most frequent first. */
function joined(failures: readonly Failure[]): Failure[] {
  const all = new Map<string, Failure>();
  for (const failure of failures) {
    const name = failureName(failure);
    const other = all.get(name);
    const { count, firstS, lastS } = other ?? { count: 0, firstS: failure.firstS, lastS: failure.lastS };
    const [first, last] = [Math.min(firstS, failure.firstS), Math.max(lastS, failure.lastS)];
    const { afterMs, ...both } = failure;
    all.set(name, {
      ...both,
      ...(other === undefined && afterMs !== undefined && { afterMs }),
      ...{ count: count + failure.count, firstS: first, lastS: last },
    });
  }
  return [...all.values()].sort((a, b) => b.count - a.count);
}

/** The name of the failures with an outcome, where the load had one kind of them only. */
function nameOf(outcome: string, { failures }: Explained): string {
  const names = new Set(failures.filter((failure) => failure.outcome === outcome).map(failureName));
  return names.size === 1 ? ([...names][0] ?? outcome) : outcome;
}

/** The failures that an objective is about; undefined where those of its part cannot be told from those of others. */
function ownFailures({ part }: Slo, { failures, settings }: Explained): readonly Failure[] | undefined {
  const responses = failures.filter(({ outcome }) => outcome !== "not_started");
  if (part === undefined) return responses;
  const workloads = workloadsOf(settings) ?? [];
  const workload = workloads.find(({ name }) => name === part);
  if (workload === undefined) return undefined;
  const own = responses.filter(({ op }) => canSend(workload, op));
  const isShared = own.some(({ op }) => workloads.some((other) => other !== workload && canSend(other, op)));
  return isShared ? undefined : own;
}

/** Whose requests failed, where those of others did not: `only workload chat (31 of 87)`; models and turns where that says more. */
function ofOne({ part }: Slo, { parts = {}, models = {}, tenants = {}, conversations }: Explained): string[] {
  if (part !== undefined) return [];
  const [workloads, ofModels, ofTenants] = [failedOf(parts), failedOf(models), failedOf(tenants)];
  const total = (failed: readonly Failed[]): number => failed.reduce((sum, { offered }) => sum + offered, 0);
  const says = workloads.length === 0 || total(ofModels) < total(workloads);
  const turns = (conversations?.turns ?? []).map(({ turn, calls }) => ({
    name: String(turn),
    failed: calls.total - calls.ok,
    offered: calls.total,
  }));
  return [
    ...(ofTenants.length > 0 && total(ofTenants) === total(workloads)
      ? named("tenant", ofTenants)
      : named("workload", workloads)),
    ...(says ? named("model", ofModels) : []),
    ...named("turn", failedOnly(turns)),
  ];
}

interface Failed {
  readonly name: string;
  readonly failed: number;
  readonly offered: number;
}

const failedOf = (all: NonNullable<Explained["models"]>): Failed[] =>
  failedOnly(Object.entries(all).map(([name, { counts }]) => ({ name, ...counts })));

/** Those with failures, most first; none where all have some. */
function failedOnly(counted: readonly Failed[]): Failed[] {
  const failed = counted.filter((each) => each.failed > 0);
  return failed.length === counted.length ? [] : failed.toSorted((a, b) => b.failed - a.failed);
}

function named(kind: string, failed: readonly Failed[]): string[] {
  const more = failed.length - NAMED;
  const names = failed
    .slice(0, NAMED)
    .map(({ name, failed: count, offered }) => `${name} (${formatNumber(count)} of ${formatNumber(offered)})`);
  return failed.length === 0 ? [] : [`only ${kind} ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")}`];
}

/** Of an objective on goodput, how many ok requests exceeded each bound that defines it. */
const exceeded = (slo: Slo, { slos, counts }: Explained): string[] =>
  !GOODPUT.includes(slo.metric)
    ? []
    : slos.flatMap(({ expr, observed, criterion }) => {
        const missed = criterion && observed !== null ? Math.round((1 - observed) * counts.ok) : 0;
        return missed > 0 ? [`${formatNumber(missed)} of ${formatNumber(counts.ok)} ok did not meet ${expr}`] : [];
      });

const IN_WINDOWS = ["ttft", "e2e", "ttft_scheduled", "e2e_scheduled"] as const;

/** In which seconds a latency of the whole load was beyond its bound. */
function inTime(slo: Slo, { windows }: Explained): string[] {
  const name = IN_WINDOWS.find((each) => each === slo.metric);
  if (name === undefined || slo.part !== undefined) return [];
  const measured = windows.filter((window) => window.phase === "measure" && window[name] !== undefined);
  const beyond = measured.filter((window) => isBeyond(slo, window[name]));
  const [first, last] = [beyond[0], beyond.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (beyond.length === measured.length) return ["slow in every second"];
  const seconds = `slow in ${formatNumber(beyond.length)} of ${plural(measured.length, "second")}`;
  return [first === last ? `${seconds}, at ${first.t} s` : `${seconds}, from ${first.t} to ${last.t + 1} s`];
}

/** Whether a second as a whole was beyond a bound, and not single requests of it. */
function isBeyond(slo: Slo, second: RunWindow["ttft"]): boolean {
  const middle = second?.p50 ?? second?.mean;
  return middle !== undefined && !holds(middle, slo);
}

/** The workloads, or else the models, that are beyond the bound of the whole load, where others are not. */
function byPart(slo: Slo, { parts, models }: Explained): string[] {
  if (slo.part !== undefined || slo.statistic === undefined) return [];
  const [kind, all] = parts === undefined ? (["model", models ?? {}] as const) : (["workload", parts] as const);
  const values = Object.entries(all).flatMap(([name, { metrics }]) => {
    const value = metrics[slo.metric]?.[slo.statistic ?? "p50"];
    return value === undefined ? [] : [{ name, value }];
  });
  const beyond = values.filter(({ value }) => !holds(value, slo));
  if (beyond.length === 0 || beyond.length === values.length) return [];
  const worst = beyond.toSorted((a, b) => b.value - a.value).slice(0, NAMED);
  return [`only ${kind} ${worst.map(({ name, value }) => `${name} (${formatValue(value, slo.unit)})`).join(", ")}`];
}

/** How long the longest stall was, and, of the whole load, when there were any. */
function largestGap(slo: Slo, run: Explained): string[] {
  const max = (partOf(slo, run)?.metrics ?? run.metrics)["icl"]?.max;
  const { groups = [], intervalS = 1 } = (slo.part === undefined && run.charts) || {};
  const times = groups
    .filter(({ by }) => by === "operation")
    .flatMap(({ rates }) => rates.flatMap(([t, , , , , stalls]) => (stalls > 0 ? [t] : [])));
  const when =
    times.length === 0 ? [] : [whenOf({ firstS: Math.min(...times), lastS: Math.max(...times) + intervalS })];
  return max === undefined ? [] : [...when, `the largest gap between two chunks is ${formatValue(max, "ms")}`];
}

/** Whether a latency is large as a whole, or only of some. */
function spreadOf(slo: Slo, run: Explained): string[] {
  const { unit, p50, max }: Partial<MetricResult> = (partOf(slo, run)?.metrics ?? run.metrics)[slo.metric] ?? {};
  if (unit === undefined || p50 === undefined || max === undefined) return [];
  return [`median ${formatValue(p50, unit)}, largest ${formatValue(max, unit)}`];
}
