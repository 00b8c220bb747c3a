/** From the results of several runs of unlike loads to what differs between them. Pure. */

import type { RunResult } from "../../formats/run.ts";
import type { ComparedRun, RunsResult } from "../../formats/runs.ts";
import { differencesOf } from "../../load/shape/same-load.ts";
import { concludeRepeats } from "../compare/summarize-repeats.ts";
import { headlineOf } from "../load/views/table-rows.ts";

/** A run, and its folder within that of the result. */
export interface NamedRun extends Pick<ComparedRun, "dir" | "source" | "cell"> {
  readonly run: RunResult;
}

export interface Circumstances extends Pick<RunsResult, "tool" | "grid"> {
  /** Whether the user ended it before its time. */
  readonly interrupted?: boolean;
}

/** What several runs measured, and in what they differ. */
export function compareRuns(
  named: readonly NamedRun[],
  { tool, grid, interrupted = named.length === 0 }: Circumstances,
): RunsResult {
  const { names, textsOf } = differingSettings(named);
  const shown = shownLatency(named.filter(isUsable));
  const currencies = [...new Set(named.flatMap(({ run: { cost } }) => (cost === undefined ? [] : [cost.currency])))];
  const unusable = named
    .filter((each) => !isUsable(each))
    .map(({ dir, run }) => `${dir} (${run.interrupted ? "ended before its time" : run.validity.verdict})`);
  const sets = setsOf(named, textsOf);
  const compared = ({ run, ...place }: NamedRun): ComparedRun => ({
    ...place,
    startedAt: run.startedAt,
    validity: run.validity.verdict,
    exitCode: run.exitCode,
    conclusion: run.conclusion,
    settings: textsOf(place.dir),
    figures: figuresOf(run, currencies.length <= 1),
    ...(shown && isUsable({ run }) && latencyOf(run, shown)),
  });
  return {
    schema: "assay.runs/1",
    tool,
    targets: [...new Set(named.map(({ run }) => run.target))],
    scenarios: [...new Set(named.map(({ run }) => run.scenario))],
    ...(grid && { grid }),
    settings: names,
    ...(shown && { latency: `${shown.metric}_${shown.statistic}` }),
    ...(currencies.length === 1 && currencies[0] !== undefined && { currency: currencies[0] }),
    runs: sets.flatMap(({ members }) => members.map(compared)),
    curves: sets
      .map(({ name, members }) => ({ name, runs: members.filter(isUsable).map(({ dir }) => dir) }))
      .filter(({ runs }) => runs.length > 0),
    notes: [
      ...(unusable.length > 0 ? [`In no curve: ${unusable.join(", ")}.`] : []),
      ...(currencies.length > 1 ? ["Costs are left out: the price lists of the runs have different currencies."] : []),
    ],
    ...concludeRepeats(named, { asked: grid?.cells ?? named.length, interrupted }),
  };
}

/** What was planned, and timing that is the target's. */
const isUsable = ({ run }: Pick<NamedRun, "run">): boolean => run.validity.verdict === "VALID" && !run.interrupted;

/** The settings in which any two runs differ, and those of each run by its folder. Seeds and labels differ on purpose. */
function differingSettings(named: readonly NamedRun[]) {
  const first = named[0]?.run.settings ?? {};
  const of = new Map(named.map(({ dir, run }) => [dir, differencesOf(first, run.settings, ["chance", "label"])]));
  // Where a run does not differ from the first, it has its value.
  const all = new Map([...of.values()].flat().map(({ setting, values }) => [setting, values[0]]));
  const plainName = (flag: string): string => flag.replace(/^--(set )?/, "");
  const textsOf = (dir: string): ComparedRun["settings"] => {
    const own = new Map([...all, ...(of.get(dir) ?? []).map(({ setting, values }) => [setting, values[1]] as const)]);
    return Object.fromEntries([...own].map(([setting, text]) => [plainName(setting), asNumber(text)]));
  };
  return { names: [...all.keys()].map(plainName), textsOf };
}

/** A number as such, for plots and tables; another text as it is. */
export const asNumber = (text: string): string | number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** From the one that says most of how the target copes. */
const STATISTICS = ["p95", "p90", "p50"] as const;

interface Latency {
  readonly metric: string;
  readonly statistic: (typeof STATISTICS)[number];
}

/** The latency that most runs have. */
function shownLatency(named: readonly NamedRun[]): Latency | undefined {
  const metrics = [...new Set(named.flatMap(({ run }) => headlineOf(run.metrics)?.name ?? []))];
  const [best] = metrics
    .flatMap((metric) => STATISTICS.map((statistic) => ({ metric, statistic })))
    .map((each) => ({ ...each, count: named.filter(({ run }) => latencyOf(run, each) !== undefined).length }))
    .toSorted((a, b) => b.count - a.count);
  return best === undefined || best.count === 0 ? undefined : best;
}

/** A latency, and the furthest values that chance, the load generator and arrivals that never started leave open. */
function latencyOf({ metrics }: RunResult, { metric, statistic }: Latency): Pick<ComparedRun, "latency"> | undefined {
  const { [statistic]: value, intervals, band, atLeast } = metrics[metric] ?? {};
  if (value === undefined) return undefined;
  const [chanceLow, chanceHigh] = intervals?.[statistic] ?? [];
  const known = (...ends: readonly (number | null | undefined)[]) => ends.flatMap((each) => each ?? []);
  const lows = known(chanceLow, band?.low?.[statistic], atLeast?.[statistic]);
  const highs = known(chanceHigh, band?.high?.[statistic]);
  return {
    latency: {
      value,
      ...(lows.length > 0 && { low: Math.min(value, ...lows) }),
      ...(highs.length > 0 && { high: Math.max(value, ...highs) }),
    },
  };
}

function figuresOf({ metrics, cost }: RunResult, hasCosts: boolean): ComparedRun["figures"] {
  const measured = Object.entries(metrics).flatMap(([name, result]) => [
    [name, result.value] as const,
    ...(["mean", "p50", "p90", "p95", "p99", "p999", "max"] as const).map(
      (statistic) => [`${name}_${statistic}`, result[statistic]] as const,
    ),
  ]);
  const costs = { cost_total: cost?.total, cost_per_ok: cost?.perOk, cost_per_1000_good: cost?.per1000Good };
  const known = [...measured, ...(hasCosts ? Object.entries(costs) : [])];
  return Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The settings that say how much is sent. */
const OF_LOAD = ["rate", "vus"];

/** Sets of runs that are alike in all but the rate or the number of users, each from the lowest load to the highest. */
function setsOf(named: readonly NamedRun[], textsOf: (dir: string) => ComparedRun["settings"]) {
  const isClosed = ({ run }: NamedRun): boolean => run.settings.vus !== undefined;
  const hasBoth = new Set(named.map(isClosed)).size > 1;
  const nameOf = (each: NamedRun): string => {
    const others = Object.entries(textsOf(each.dir)).filter(([name]) => !OF_LOAD.includes(name));
    return [...others.map((pair) => pair.join(" ")), ...(hasBoth ? [isClosed(each) ? "users" : "rate"] : [])].join(
      ", ",
    );
  };
  const loadOf = ({ run }: NamedRun): number => run.settings.vus ?? run.counts.offered / run.durationS;
  return [...new Set(named.map(nameOf))]
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => ({
      name,
      members: named.filter((each) => nameOf(each) === name).toSorted((a, b) => loadOf(a) - loadOf(b)),
    }));
}
