/** From the results of several runs of unlike loads to what differs between them. Pure. */

import type { RunResult } from "../../formats/run.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import type { ComparedRun, RunsResult } from "../../formats/runs.ts";
import { differencesOf } from "../../load/shape/same-load.ts";
import { concludeRepeats } from "../compare/summarize-repeats.ts";
import { headlineOf } from "../load/views/table-rows.ts";

/** A run, and its folder within that of the result. */
export interface NamedRun extends Pick<ComparedRun, "source" | "cell"> {
  readonly dir: string;
  readonly run: RunResult;
}

export interface Circumstances extends Pick<RunsResult, "tool" | "grid"> {
  /** Whether the user ended it before its time. */
  readonly interrupted?: boolean;
}

/** What several runs measured, and in what they differ. */
export function compareRuns(
  named: readonly NamedRun[],
  { tool, grid, interrupted = false }: Circumstances,
): RunsResult {
  const { names, texts } = differingSettings(named.map(({ run }) => run));
  const usable = named.filter(isUsable);
  const shown = shownLatency(usable.map(({ run }) => run));
  const currencies = [...new Set(named.flatMap(({ run: { cost } }) => (cost === undefined ? [] : [cost.currency])))];
  const ownTexts = new Map(named.map(({ dir }, index) => [dir, texts[index] ?? {}]));
  const sets = setsOf(named, ownTexts);
  const runs = sets.flatMap(({ members }) =>
    members.map((each): ComparedRun => {
      const { dir, source, cell, run } = each;
      const latency = shown && isUsable(each) ? latencyOf(run.metrics[shown.metric], shown.statistic) : undefined;
      return {
        dir,
        ...(source !== undefined && { source }),
        ...(cell !== undefined && { cell }),
        startedAt: run.startedAt,
        validity: run.validity.verdict,
        exitCode: run.exitCode,
        conclusion: run.conclusion,
        settings: ownTexts.get(dir) ?? {},
        figures: figuresOf(run, currencies.length <= 1),
        ...(latency && { latency }),
      };
    }),
  );
  const of = { asked: grid?.cells ?? named.length, interrupted: interrupted || named.length === 0 };
  return {
    schema: "assay.runs/1",
    tool,
    targets: [...new Set(named.map(({ run }) => run.target))],
    scenarios: [...new Set(named.map(({ run }) => run.scenario))],
    ...(grid && { grid }),
    settings: names,
    ...(shown && { latency: `${shown.metric}_${shown.statistic}` }),
    ...(currencies.length === 1 && currencies[0] !== undefined && { currency: currencies[0] }),
    runs,
    curves: sets
      .map(({ name, members }) => ({ name, runs: members.filter(isUsable).map(({ dir }) => dir) }))
      .filter((curve) => curve.runs.length > 0),
    notes: [
      ...named
        .filter((each) => !isUsable(each))
        .map(
          ({ dir, run }) =>
            `${dir} is in no curve: ${run.interrupted ? "it was ended before its time" : `it is ${run.validity.verdict}`}.`,
        ),
      ...(currencies.length > 1
        ? [
            `Costs are left out: the price lists of the runs have different currencies (${currencies.map((each) => each ?? "not named").join(", ")}).`,
          ]
        : []),
    ],
    ...concludeRepeats(named, of),
  };
}

/** What was planned, and timing that is the target's. */
const isUsable = ({ run }: Pick<NamedRun, "run">): boolean => run.validity.verdict === "VALID" && !run.interrupted;

/** The settings in which any two runs differ, and those of each run. Seeds and labels differ on purpose. */
function differingSettings(runs: readonly RunResult[]) {
  const [first] = runs;
  const differences = runs.map((run) => differencesOf(first?.settings ?? {}, run.settings, ["chance", "label"]));
  const names = [...new Set(differences.flat().map(({ setting }) => setting))];
  const texts = differences.map((own) =>
    Object.fromEntries(
      names.map((name) => {
        const of = (each: (typeof own)[number]): boolean => each.setting === name;
        return [plainName(name), own.find(of)?.values[1] ?? differences.flat().find(of)?.values[0] ?? ""];
      }),
    ),
  );
  return { names: names.map(plainName), texts };
}

const plainName = (flag: string): string => flag.replace(/^--(set )?/, "");

/** From the one that says most of how the target copes. */
const STATISTICS = ["p95", "p90", "p50"] as const;
type Statistic = (typeof STATISTICS)[number];

/** The latency that most runs have. */
function shownLatency(runs: readonly RunResult[]): { metric: string; statistic: Statistic } | undefined {
  const metrics = [...new Set(runs.flatMap((run) => headlineOf(run.metrics)?.name ?? []))];
  const known = metrics
    .flatMap((metric) => STATISTICS.map((statistic) => ({ metric, statistic })))
    .map((each) => ({
      ...each,
      count: runs.filter((run) => run.metrics[each.metric]?.[each.statistic] !== undefined).length,
    }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  return known[0];
}

/** A latency, and the furthest values that chance, the load generator and arrivals that never started leave open. */
function latencyOf(result: MetricResult | undefined, statistic: Statistic): ComparedRun["latency"] {
  const value = result?.[statistic];
  if (result === undefined || value === undefined) return undefined;
  const { intervals, band, atLeast } = result;
  const [chanceLow, chanceHigh] = intervals?.[statistic] ?? [];
  const ends = (...values: readonly (number | null | undefined)[]) => values.flatMap((each) => each ?? []);
  const [lows, highs] = [
    ends(chanceLow, band?.low?.[statistic], atLeast?.[statistic]),
    ends(chanceHigh, band?.high?.[statistic]),
  ];
  return {
    value,
    ...(lows.length > 0 && { low: Math.min(value, ...lows) }),
    ...(highs.length > 0 && { high: Math.max(value, ...highs) }),
  };
}

const FIGURES = ["mean", "p50", "p90", "p95", "p99", "p999", "max"] as const;

function figuresOf({ metrics, cost }: RunResult, hasCosts: boolean): ComparedRun["figures"] {
  const measured = Object.entries(metrics).flatMap(([name, result]) => [
    [name, result.value] as const,
    ...FIGURES.map((statistic) => [`${name}_${statistic}`, result[statistic]] as const),
  ]);
  const costs = [
    ["cost_total", cost?.total],
    ["cost_per_ok", cost?.perOk],
    ["cost_per_1000_good", cost?.per1000Good],
  ] as const;
  const known = [...measured, ...(hasCosts ? costs : [])];
  return Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The settings that say how much is sent. */
const OF_LOAD = ["rate", "vus"];

/** Sets of runs that are alike in all but the rate or the number of users, each from the lowest load to the highest. */
function setsOf(
  named: readonly NamedRun[],
  texts: ReadonlyMap<string, ComparedRun["settings"]>,
): readonly { readonly name: string; readonly members: readonly NamedRun[] }[] {
  const isClosed = ({ run }: NamedRun): boolean => run.settings.vus !== undefined;
  const hasBoth = new Set(named.map(isClosed)).size > 1;
  const nameOf = (each: NamedRun): string =>
    [
      ...Object.entries(texts.get(each.dir) ?? {}).flatMap(([name, text]) =>
        OF_LOAD.includes(name) ? [] : [`${name} ${text}`],
      ),
      ...(hasBoth ? [isClosed(each) ? "users" : "rate"] : []),
    ].join(", ");
  const loadOf = ({ run }: NamedRun): number => run.settings.vus ?? run.counts.offered / run.durationS;
  return [...new Set(named.map(nameOf))]
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => ({
      name,
      members: named.filter((each) => nameOf(each) === name).toSorted((a, b) => loadOf(a) - loadOf(b)),
    }));
}
