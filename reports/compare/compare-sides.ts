/** From the runs of two sides to the result of their comparison. Pure, and the same for the same runs. */

import type { ComparedMetric, CompareResult, RunOfSide } from "../../formats/compare.ts";
import { comparedMetric, dependsOnTiming } from "./compared-metric.ts";
import { curvesOf, shiftOf } from "./comparison-curves.ts";
import { notesOnSides } from "./comparison-notes.ts";
import { concludeComparison } from "./conclude-comparison.ts";
import { both, ComparedSides, type GateData, type Sides } from "./gate-data.ts";
import { type Gate, type GateRequest, limitOf, namedGates, usualGates } from "./gates.ts";
import { latenessOf } from "./side-lateness.ts";
import type { Side, SideRun } from "./side-samples.ts";
import { BlockResamples } from "./stats/block-resamples.ts";
import type { Change } from "./stats/change.ts";
import { holm } from "./stats/holm.ts";
import { usabilityOf } from "./usable-runs.ts";
import { warmthOf } from "./warmth.ts";

/** Blocks of time that the measured window of a run is divided into. */
export const BLOCKS = 40;
const RESAMPLES = 4_000;
/** A seed of its own, so that the same runs always have the same result. */
const SEED = 1;
/** Two runs of the same system may show any change in so many of 1 comparisons. */
const ALPHA = 0.05;

/**
 * Compares two sides, whose loads are the same.
 * @throws UsageError for a metric that is not compared
 */
export async function compareSides(sides: Sides, request: GateRequest, tool: string): Promise<CompareResult> {
  const named = namedGates(request);
  const runs = [...sides.base.runs, ...sides.new.runs];
  const warmth = warmthOf(sides);
  const usable = usabilityOf(runs);
  const usability = { ...usable, timing: [...usable.timing, ...warmth.differs] };
  const usual =
    request.metrics.length > 0 ? [] : usualGates((name) => runs.every(({ run }) => run.metrics[name] !== undefined));
  const wanted = [...new Map([...usual, ...named].map((gate) => [gate.name, gate])).values()];
  const isTimed = (gate: Gate): boolean => usability.timing.length > 0 && dependsOnTiming(gate.metric);
  const gates = wanted.filter((gate) => !isTimed(gate));
  const { metrics, curves, shift, tooFew } =
    usability.nothing.length > 0 ? NOTHING : await compareGates(sides, gates, named, request.limits);
  const limited = wanted.filter(isTimed).map(({ name }) => ({
    name,
    reason: usable.timing.length > 0 ? "a run is CLIENT-LIMITED" : "the sides were not equally warm",
  }));
  const [first] = runs;
  return {
    schema: "assay.compare/1",
    tool,
    scenario: first?.run.scenario ?? "",
    shape: first?.run.shape ?? "",
    ...both(sides, (side) => side.runs.map(({ folder }) => folder)),
    runs: both(sides, (side) => side.runs.map(runOfSide)),
    runToRun: runs.length > 2,
    metrics,
    notCompared: usability.nothing.length > 0 ? [] : [...tooFew, ...limited],
    curves,
    ...(shift && { shift }),
    notes: [
      ...tooFew.map(({ name, reason }) => `${name} is not compared: ${reason}`),
      ...notesOnSides(sides, metrics),
      ...warmth.notes,
    ],
    ...concludeComparison(metrics, usability, warmth.again),
  };
}

const NOTHING = { metrics: [], curves: {}, shift: undefined, tooFew: [] };

const runOfSide = ({ folder, run }: SideRun): RunOfSide => ({
  dir: folder,
  target: run.target,
  startedAt: run.startedAt,
  units: run.counts.offered,
  validity: run.validity.verdict,
});

async function compareGates(
  sides: Sides,
  gates: readonly Gate[],
  named: readonly Gate[],
  limits: GateRequest["limits"],
) {
  const compared = new ComparedSides(sides, new BlockResamples(BLOCKS, RESAMPLES, SEED));
  const all: { readonly gate: Gate; readonly data: GateData }[] = [];
  for (const gate of gates) all.push({ gate, data: await compared.dataOf(gate) });
  // A percentile that nobody asked for, of which there are too few samples, is left out, and that is said.
  const isLeft = ({ gate, data }: (typeof all)[number]): boolean =>
    typeof data.change === "string" && !named.some(({ name }) => name === gate.name);
  const kept = all.filter((each) => !isLeft(each));
  const changes = kept.flatMap(({ data }) => (typeof data.change === "string" ? [] : [data.change]));
  const tested = new Map<Change, ReturnType<typeof holm>[number]>(
    holm(changes, ALPHA).map((each) => [each.change, each]),
  );
  const timingErrorMs = Math.max(0, ...[sides.base, sides.new].flatMap(wakeUps));
  const metrics = kept.map(
    ({ gate, data }): ComparedMetric =>
      comparedMetric({
        gate,
        data,
        tested: typeof data.change === "string" ? undefined : tested.get(data.change),
        firstAlpha: ALPHA / Math.max(1, changes.length),
        limit: limitOf(gate, limits),
        timingErrorMs,
        lateness: latenessOf(sides, gate),
        several: sides.base.runs.length + sides.new.runs.length > 2,
      }),
  );
  const tooFew = all
    .filter(isLeft)
    .map(({ gate, data }) => ({ name: gate.name, reason: typeof data.change === "string" ? data.change : "" }));
  return {
    metrics,
    curves: await curvesOf(compared, gates, ALPHA),
    shift: await shiftOf(compared, gates, ALPHA),
    tooFew,
  };
}

const wakeUps = ({ runs }: Side): number[] => runs.flatMap(({ run }) => run.client.wakeP99Ms ?? []);
