/** The charts of a run as data: its requests by operation, workload, tenant, model and turn, never of several operations at once. */

import { WORKLOAD_KINDS } from "../../../formats/outcomes.ts";
import type { ChartGroup, ChartSeries, RunCharts } from "../../../formats/run-charts.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import type { MetricName } from "../../../load/objectives/metrics.ts";
import { METRIC_NAMES, metric } from "../../../load/objectives/metrics.ts";
import type { Requests, SingleRows } from "../read/request-columns.ts";
import { addInterval, Cell, FEW, type Interval, LogGrid, type RequestSeries } from "../read/request-series.ts";
import type { Unit } from "../read/work-units.ts";
import { type Class, LogHistogram } from "../stats/log-histogram.ts";
import { countCalls, inOrder, latencies, ownLatencies, type Waits } from "./request-metrics.ts";
import type { Span } from "./span.ts";

/** Intervals of a chart at most, and samples that each should have on average. */
const MOST_INTERVALS = 80;
const LEAST_INTERVALS = 20;
const SAMPLES = 10;
/** Groups at most. */
const MOST_GROUPS = 40;

/** Arrivals by what they are of: due and not started, by interval. */
export class ArrivalSeries {
  readonly #series: RequestSeries;
  readonly #of = new Map<
    string,
    { of: Pick<Unit, "workload" | "model" | "part">; counts: Map<number, [number, number]> }
  >();

  constructor(series: RequestSeries) {
    this.#series = series;
  }

  add({ workload, model, part, scheduled, outcome }: Unit): void {
    const key = `${workload} ${model} ${part}`;
    const known = this.#of.get(key) ?? { of: { workload, model, part }, counts: new Map<number, [number, number]>() };
    this.#of.set(key, known);
    const index = Math.floor((scheduled - this.#series.start) / this.#series.widthMs);
    const [due, notStarted] = known.counts.get(index) ?? [0, 0];
    known.counts.set(index, [due + 1, notStarted + (outcome === "not_started" ? 1 : 0)]);
  }

  /** Those of some, by interval; `joined` neighbours are one. */
  of(isOne: (of: Pick<Unit, "workload" | "model" | "part">) => boolean, joined: number): Map<number, [number, number]> {
    const sum = new Map<number, [number, number]>();
    for (const { of, counts } of this.#of.values()) {
      if (!isOne(of)) continue;
      for (const [at, [due, notStarted]] of counts) {
        const index = Math.floor(at / joined);
        const [before, missing] = sum.get(index) ?? [0, 0];
        sum.set(index, [before + due, missing + notStarted]);
      }
    }
    return sum;
  }
}

/** Which requests a group has. */
interface GroupOf extends Pick<ChartGroup, "by" | "name" | "op"> {
  readonly cells: readonly Cell[];
  readonly rows: SingleRows;
  /** The workload, tenant, model or turn has requests of other operations too. */
  readonly isPart: boolean;
  readonly isArrival: ((of: Pick<Unit, "workload" | "model" | "part">) => boolean) | undefined;
}

interface Gathered {
  readonly requests: Requests;
  readonly series: RequestSeries;
  readonly arrivals: ArrivalSeries;
  readonly span: Span;
  /** Names of the workloads of each tenant. */
  readonly tenants: ReadonlyMap<string, readonly string[]>;
  readonly waits: (rows: SingleRows) => Waits;
}

/** Undefined of a run without requests. */
export function chartsOf(gathered: Gathered): RunCharts | undefined {
  const cells = [...gathered.series.cells];
  const groups = groupsOf(cells, gathered);
  if (groups.length === 0) return undefined;
  const joined = joinedOf(cells);
  const left = groups.length - MOST_GROUPS;
  return {
    intervalS: (gathered.series.widthMs * joined) / 1_000,
    groups: groups.slice(0, MOST_GROUPS).map((group) => groupOf(group, gathered, joined)),
    ...(left > 0 && { left }),
  };
}

/** How many intervals become one: a power of two. */
function joinedOf(cells: readonly Cell[]): number {
  const indexes = cells.flatMap(({ intervals }) => [...intervals.keys()]);
  const length =
    indexes.reduce((most, at) => Math.max(most, at), 0) - indexes.reduce((least, at) => Math.min(least, at), 0) + 1;
  const sent = cells.reduce((sum, cell) => sum + cell.sent, 0);
  let joined = 1;
  const isTooFine = (): boolean => {
    const count = length / joined;
    return count > MOST_INTERVALS || (count > 2 * LEAST_INTERVALS && sent / count < SAMPLES);
  };
  while (isTooFine()) joined *= 2;
  return joined;
}

const distinct = <T>(values: readonly (T | undefined)[]): T[] =>
  [...new Set(values)].filter((value): value is Exclude<typeof value, undefined> => value !== undefined);

/** What tells the requests of one or several groups apart from others. */
interface Dimension {
  readonly by: ChartGroup["by"];
  readonly name: string;
  readonly isOne: (of: Cell["of"]) => boolean;
  readonly rows: SingleRows;
  readonly isArrival: GroupOf["isArrival"];
}

const partOf = (op: string): string | undefined =>
  Object.entries(WORKLOAD_KINDS).find(([, own]) =>
    own.some((each) => each === op || (op === "video" && each === "video.submit")),
  )?.[0];

/** The values that a part of the requests has, those of most requests first. */
function mostFirst(cells: readonly Cell[], nameOf: (of: Cell["of"]) => string | undefined): string[] {
  const sent = (value: string): number =>
    cells.reduce((sum, cell) => sum + (nameOf(cell.of) === value ? cell.sent : 0), 0);
  return distinct(cells.map(({ of }) => nameOf(of))).toSorted((a, b) => sent(b) - sent(a));
}

/** Whether each workload has one operation that no other has, so that both name the same requests. */
function areOperations(workloads: readonly string[], ops: readonly string[], cells: readonly Cell[]): boolean {
  const pairs = new Set(cells.map(({ of }) => `${of.workload} ${of.op}`));
  const isWhole = cells.every(({ of }) => of.workload !== undefined);
  return isWhole && workloads.length > 1 && workloads.length === ops.length && pairs.size === ops.length;
}

function dimensionsOf(cells: readonly Cell[], { tenants }: Gathered): Dimension[] {
  const ops = mostFirst(cells, ({ op }) => op);
  const workloads = mostFirst(cells, ({ workload }) => workload);
  const models = mostFirst(cells, ({ model }) => model);
  const turns = distinct(cells.map(({ of }) => of.turn)).toSorted((a, b) => a - b);
  return [
    ...(areOperations(workloads, ops, cells) ? [] : ops).map((op): Dimension => {
      const isArrival: GroupOf["isArrival"] = ({ part }) => part !== undefined && part === partOf(op);
      const isOne: Dimension["isOne"] = (of) => of.op === op;
      return { by: "operation", name: op, isOne, rows: {}, isArrival: ops.length === 1 ? () => true : isArrival };
    }),
    ...workloads.map((name): Dimension => {
      const isOne = ({ workload }: { readonly workload?: string | undefined }): boolean => workload === name;
      return { by: "workload", name, isOne, rows: { workloads: [name] }, isArrival: isOne };
    }),
    ...[...tenants].map(([name, own]): Dimension => {
      const isOne = ({ workload }: { readonly workload?: string | undefined }): boolean =>
        workload !== undefined && own.includes(workload);
      return { by: "tenant", name, isOne, rows: { workloads: own }, isArrival: isOne };
    }),
    ...models.map((name): Dimension => {
      const isOne = ({ model }: { readonly model?: string | undefined }): boolean => model === name;
      return { by: "model", name, isOne, rows: { models: [name] }, isArrival: isOne };
    }),
    ...(turns.length < 2 ? [] : turns).map((turn): Dimension => {
      const isOne: Dimension["isOne"] = (of) => of.turn === turn;
      return { by: "turn", name: String(turn), isOne, rows: { turn }, isArrival: undefined };
    }),
  ];
}

/** A group for each operation that the requests of a dimension are of. */
function groupsOf(cells: readonly Cell[], gathered: Gathered): GroupOf[] {
  return dimensionsOf(cells, gathered).flatMap(({ by, name, isOne, rows, isArrival }) => {
    const own = cells.filter(({ of }) => isOne(of));
    const ops = distinct(own.map(({ of }) => of.op));
    const isPart = ops.length > 1;
    return ops.map((op) => ({
      by,
      op,
      name: isPart ? `${name} · ${op}` : name,
      cells: own.filter(({ of }) => of.op === op),
      rows: { ...rows, ops: opsOfGroup(op) },
      isPart,
      isArrival: isPart ? undefined : isArrival,
    }));
  });
}

/** The operations of the requests that count as one operation in charts. */
export const opsOfGroup = (op: string): readonly string[] => (op === "video" ? WORKLOAD_KINDS.video : [op]);

function groupOf(group: GroupOf, gathered: Gathered, joined: number): ChartGroup {
  const { series, span } = gathered;
  const width = (series.widthMs * joined) / 1_000;
  const shift = (series.start - span.origin) / 1_000;
  const intervals = joinedIntervals(group.cells, joined);
  const indexes = [...intervals.keys()].toSorted((a, b) => a - b);
  const [first = 0, last = -1] = [indexes[0], indexes.at(-1)];
  const timeOf = (index: number): number => Number((index * width + shift).toFixed(3));
  const arrivals = group.isArrival && gathered.arrivals.of(group.isArrival, joined);
  const every = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const perSecond = (count = 0): number => rounded(count / width);
  const names = METRIC_NAMES.filter((name) =>
    group.cells.some(
      ({ measured, intervals: own }) =>
        measured.has(name) || [...own.values()].some(({ latencies }) => latencies.has(name)),
    ),
  );
  return omitUndefined<ChartGroup>({
    by: group.by,
    name: group.name,
    op: group.op,
    ...(group.isPart && {
      calls: countCalls(gathered.requests, group.rows),
      metrics: inOrder(
        group.rows.turn === undefined
          ? latencies(gathered.requests, gathered.waits(group.rows), group.rows)
          : ownLatencies(gathered.requests, group.rows),
      ),
    }),
    rates: every.map((index) => {
      const { sent, ok, failed, tokens, stalls } = intervals.get(index) ?? NOTHING;
      return [timeOf(index), perSecond(sent), perSecond(ok), perSecond(failed), perSecond(tokens), stalls];
    }),
    arrivals:
      arrivals === undefined || arrivals.size === 0
        ? undefined
        : [...arrivals]
            .toSorted(([a], [b]) => a - b)
            .map(([index, [due, notStarted]]) => [timeOf(index), perSecond(due), perSecond(due - notStarted)]),
    series: Object.fromEntries(
      names.map((name) => [
        name,
        seriesOf(
          name,
          group,
          gathered,
          indexes.map((index) => [timeOf(index), intervals.get(index)?.latencies.get(name)]),
        ),
      ]),
    ),
    gaps: names.includes("icl")
      ? heatOf(indexes.map((index) => [timeOf(index), intervals.get(index)?.latencies.get("icl")]))
      : undefined,
    byInputTokens: byTokens(group.cells),
  });
}

const NOTHING: Pick<Interval, "sent" | "ok" | "failed" | "tokens" | "stalls"> = {
  sent: 0,
  ok: 0,
  failed: 0,
  tokens: 0,
  stalls: 0,
};

function joinedIntervals(cells: readonly Cell[], joined: number): Map<number, Interval> {
  const all = new Cell({ op: "", workload: undefined, model: undefined, turn: undefined });
  for (const { intervals } of cells) {
    for (const [index, interval] of intervals) addInterval(all.interval(Math.floor(index / joined)), interval);
  }
  return all.intervals;
}

/** Latencies by interval. */
type Timed = readonly (readonly [t: number, latencies: LogHistogram | undefined])[];

function seriesOf(
  name: MetricName,
  { cells, rows }: GroupOf,
  { requests, series, span, waits }: Gathered,
  timed: Timed,
): ChartSeries {
  const all = new LogHistogram();
  const own = cells.flatMap(({ measured }) => measured.get(name) ?? []);
  for (const { all: some } of own) all.merge(some);
  const samples = own.flatMap(({ singles }) => singles);
  const shift = (series.start - span.origin) / 1_000;
  return {
    count: all.count,
    intervals: timed.flatMap(([t, latencies]) =>
      latencies === undefined
        ? []
        : [
            [
              t,
              latencies.count,
              ...[0.5, 0.95, 0.99].map((share) => inMs(latencies.quantile(share))),
              inMs(latencies.max),
            ] as [number, number, number, number, number, number],
          ],
    ),
    histogram: classesOf(all).map(({ from, to, count }) => [inMs(from), inMs(to), count]),
    curve: curveOf(name, requests, rows, waits).map(([share, value]) => [share, rounded(value)]),
    ...(all.count < FEW &&
      samples.length > 0 && {
        samples: samples.map(({ at, ms, id }) => ({
          t: Number((at / 1_000 + shift).toFixed(3)),
          ms: rounded(ms),
          ...(id !== undefined && { id }),
        })),
      }),
  };
}

/** Bars of a histogram at most. */
const MOST_BARS = 48;

/** The finest classes of which there are not too many. */
function classesOf(values: LogHistogram): Class[] {
  for (let joined = 1; ; joined *= 2) {
    const classes = [...values.classes(joined)];
    if (classes.length <= MOST_BARS || joined >= 32) return classes;
  }
}

/** Neighbouring classes that are one of a chart: eight from each power of two to the next, four of a heat map. */
const JOINED = 4;
const JOINED_HEAT = 8;

function curveOf(
  name: MetricName,
  requests: Requests,
  rows: SingleRows,
  waits: Gathered["waits"],
): readonly [number, number][] {
  if (name === "icl") {
    const gaps = requests.gaps(rows);
    return gaps.pool.curve(gaps.requests);
  }
  if (metric(name).of === undefined) return [];
  const more = metric(name).scheduled && rows.turn === undefined ? waits(rows)(name).count : 0;
  return requests
    .sample(name, rows)
    .curve(more)
    .filter(([, value]) => !Number.isNaN(value));
}

const heatOf = (timed: Timed): ChartGroup["gaps"] =>
  timed.flatMap(([t, gaps]) =>
    [...(gaps?.classes(JOINED_HEAT) ?? [])].map(({ from, to, count }): [number, number, number, number] => [
      t,
      inMs(from),
      inMs(to),
      count,
    ]),
  );

function byTokens(cells: readonly Cell[]): ChartGroup["byInputTokens"] {
  const grid = new LogGrid();
  for (const { byTokens: own } of cells) grid.merge(own);
  if (grid.rows.size === 0) return undefined;
  return [...grid.rows]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([row, values]) =>
      [...values.classes(JOINED)].map(({ from, to, count }): [number, number, number, number, number] => [
        rounded(2 ** ((row - 0.5) / 8)),
        rounded(2 ** ((row + 0.5) / 8)),
        inMs(from),
        inMs(to),
        count,
      ]),
    );
}

/** To four digits. */
const rounded = (value: number): number => Number(value.toPrecision(4));
const inMs = (us: number): number => rounded(us / 1_000);
