/** What a reader of a comparison must know in addition to its verdicts. */

import type { ComparedMetric } from "../../formats/compare.ts";
import { type MetricName, metric } from "../../load/objectives/metrics.ts";
import { formatAmount } from "../load/views/cost-rows.ts";
import { formatNumber, formatShare, plural } from "../numbers.ts";
import { formatInterval } from "./change-text.ts";
import type { Sides } from "./gate-data.ts";
import type { Side } from "./side-samples.ts";

/** Runs of which the spread is known well: fewer make the intervals wider than they need be. */
const ENOUGH_RUNS = 5;

export const notesOnSides = (sides: Sides, metrics: readonly ComparedMetric[]): string[] => [
  ...runsNote(sides),
  ...leaversNote(sides, metrics),
  ...WORK.flatMap((name) => workNote(sides, name)),
  ...costNote(sides),
  ...differing(sides),
];

function runsNote({ base, new: next }: Sides): string[] {
  const [ofBase, ofNew] = [base.runs.length, next.runs.length];
  if (ofBase + ofNew === 2) {
    return [
      "one run per side: the intervals do not contain how much runs of the same system differ (caches, the machine); assay load --repeat 5 measures it",
    ];
  }
  const fewest = Math.min(ofBase, ofNew);
  if (fewest >= ENOUGH_RUNS) return [];
  return [
    `the intervals include the variance from run to run, of ${plural(ofBase, "run")} of the base and ${formatNumber(ofNew)} new; with ${ENOUGH_RUNS} per side they are narrower`,
  ];
}

/**
 * Where clients leave in the new runs alone, whether the target stops their work: it has less to do then, so that first tokens and gaps are
 * faster. Where they are not, the work may go on, or the target has room for both.
 */
function leaversNote({ base, new: next }: Sides, metrics: readonly ComparedMetric[]): string[] {
  const [at] = next.runs.flatMap(({ run }) => run.left?.at ?? []);
  if (at === undefined || base.runs.some(({ run }) => run.left !== undefined)) return [];
  const latencies = metrics.filter(({ name }) => /^(ttft|icl)_/.test(name));
  const faster = latencies.filter(({ verdict }) => verdict === "better");
  const inWords = (of: typeof latencies) => of.map((each) => `${each.name} ${formatInterval(each)}`).join(", ");
  const unseen = "whether the target stops their work is not visible: first tokens and gaps are not";
  const seen =
    faster.length > 0
      ? `responses are faster with them (${inWords(faster)}): the target stops work of clients that left`
      : latencies.length === 0
        ? `${unseen} compared`
        : `${unseen} faster with them (${inWords(latencies)}), since their work goes on or does not delay others`;
  return [`clients leave in the new runs (${at}), and none in the base; ${seen}`];
}

/** What a request asks for and returns: with other work, a latency is that of other work. */
const WORK = ["input_tokens", "output_tokens"] as const satisfies readonly MetricName[];
const SAME_WORK = 0.02;

function workNote({ base, new: next }: Sides, name: MetricName): string[] {
  const [before, after] = [meanOf(base, name), meanOf(next, name)];
  if (before === undefined || after === undefined || Math.abs(after / before - 1) <= SAME_WORK) return [];
  return [
    `${metric(name).title.toLowerCase()} per request differ: ${formatNumber(Number(before.toFixed(1)))} in the base, ${formatNumber(Number(after.toFixed(1)))} in the new runs on average; the work was not the same, and latencies differ with it`,
  ];
}

/** Prices of one list are of one currency; both sides may have lists of their own. */
function costNote({ base, new: next }: Sides): string[] {
  const [before, after] = [base, next].map((side) => meanIn(side, ({ cost }) => cost?.perOk));
  const [currency, other] = [base, next].map(({ runs }) => runs[0]?.run.cost?.currency);
  if (before === undefined || after === undefined || currency !== other) return [];
  const by =
    before === after || before === 0
      ? ""
      : `, ${formatShare(Math.abs(after / before - 1))} ${after > before ? "more" : "less"}`;
  return [
    `an ok request cost ${formatAmount(before, currency)} in the base and ${formatAmount(after, currency)} in the new runs on average${by}; a change of the cost is not tested`,
  ];
}

const meanOf = (side: Side, name: MetricName): number | undefined => meanIn(side, ({ metrics }) => metrics[name]?.mean);

/** Undefined where a run has no such value. */
function meanIn({ runs }: Side, figure: (run: Side["runs"][number]["run"]) => number | undefined): number | undefined {
  const values = runs.flatMap(({ run }) => figure(run) ?? []);
  return values.length < runs.length || values.length === 0
    ? undefined
    : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The load generators, whose timing is part of what is measured. */
function differing({ base, new: next }: Sides): string[] {
  const versions = new Set([...base.runs, ...next.runs].map(({ run }) => run.k6 ?? "unknown"));
  const cpus = new Set([...base.runs, ...next.runs].flatMap(({ run }) => run.client.cpus ?? []));
  return [
    ...(versions.size > 1 ? [`the runs were measured with different versions of k6: ${[...versions].join(", ")}`] : []),
    ...(cpus.size > 1
      ? [`the runs were measured on different machines, with ${[...cpus].join(" and ")} CPU cores`]
      : []),
  ];
}
