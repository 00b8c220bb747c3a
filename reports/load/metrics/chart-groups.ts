/** The charts of a run as data: its requests by operation, workload, tenant, model and turn, never of several operations at once. */

import { z } from "zod";
import { WORKLOAD_KINDS } from "../../../contract/operations.ts";
import { TASK_ENDS } from "../../../formats/outcomes.ts";
import type { ChartGroup, ChartSeries, RunCharts } from "../../../formats/run-charts.ts";
import { literal, quoted } from "../../../lib/duckdb.mjs";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { METRIC_NAMES, type MetricName, metric, STALL_MS } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { type Database, optionalCell } from "../../tables/database.ts";
import { HAS_FAILED } from "../../tables/outcome-sql.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import { eachGap } from "../read/gaps.ts";
import { allOf, isOfSql, MEASURED, type Requests, type SingleRows } from "../read/measured-requests.ts";
import type { Read } from "../read/shards.ts";
import { isOkEnd } from "../read/unit-outcomes.ts";
import { unitsSql, type WhichUnits } from "../read/unit-rows.ts";
import { type Class, classSql, LogHistogram } from "../stats/log-histogram.ts";
import { type Intervals, intervalSql, isInRangeSql, MOST_AT_ONCE, type Range, rangesOf } from "../stats/ranges.ts";
import { countCalls, inOrder, latencies, ownLatencies, type Waits } from "./request-metrics.ts";
import type { Span } from "./span.ts";

/** Intervals that are counted at most; when there would be more, each is twice as long. */
const MOST_COUNTED = 240;
const FIRST_WIDTH_MS = 250;
/** Intervals of a chart at most, and samples that each should have on average. */
const MOST_INTERVALS = 80;
const LEAST_INTERVALS = 20;
/** Intervals of all groups together at most, which bounds the size of a page. */
const MOST_IN_ALL = 1_200;
const SAMPLES = 10;
/** Groups at most, and turns that have one. */
const MOST_GROUPS = 40;
const MOST_TURNS = 12;
/** Fewer samples than this are shown one by one. */
export const FEW = 20;

/** Latencies of single requests that have charts, by the instant that they count from. */
const OF_REQUESTS = {
  ttft: "sent_us",
  ttft_scheduled: "scheduled_us",
  e2e: "sent_us",
  e2e_scheduled: "scheduled_us",
  video_submit: "sent_us",
} as const satisfies Partial<Record<MetricName, string>>;
/** Those of video tasks, which count from their submission, by their columns. */
const OF_TASKS = { video_work: "work", video_work_scheduled: "work_scheduled" } as const;

/** What the requests of one operation, workload, model and turn are of; `video`: all operations of video tasks. */
interface Cell {
  readonly op: string;
  readonly workload: string | undefined;
  readonly model: string | undefined;
  readonly turn: number | undefined;
  readonly sent: number;
}

/** Which requests a group has. */
interface GroupOf extends Pick<ChartGroup, "by" | "name" | "op"> {
  readonly rows: SingleRows;
  /** The workload, tenant, model or turn has requests of other operations too. */
  readonly isPart: boolean;
  /** Its arrivals; undefined where they are not those of the group alone. */
  readonly arrivals: Arrivals | undefined;
}

type Arrivals = WhichUnits & { readonly part?: string };

interface Gathered {
  readonly read: Read;
  readonly span: Span;
  /** Names of the workloads of each tenant. */
  readonly tenants: ReadonlyMap<string, readonly string[]>;
  readonly waits: (rows: SingleRows) => Waits;
}

/** Undefined of a run without requests. */
export async function chartsOf(gathered: Gathered): Promise<RunCharts | undefined> {
  const { database } = gathered.read;
  const cells = await cellsOf(database);
  const groups = groupsOf(cells, gathered);
  const most = Math.min(MOST_INTERVALS, MOST_IN_ALL / Math.min(groups.length, MOST_GROUPS));
  const intervals = await intervalsOf(gathered.read, cells, most);
  if (groups.length === 0 || intervals === undefined) return undefined;
  await makeGapSlices(gathered.read, intervals);
  const left = groups.length - MOST_GROUPS;
  const made: ChartGroup[] = [];
  for (const group of groups.slice(0, MOST_GROUPS)) made.push(await groupOf(group, gathered, intervals));
  return { intervalS: intervals.widthUs / 1_000_000, groups: made, ...(left > 0 && { left }) };
}

const n = z.number();
const optionalText = optionalCell(z.string());
const optionalNumber = optionalCell(n);

const cellsOf = (database: Database): Promise<readonly Cell[]> =>
  database.all(
    `SELECT CASE WHEN op LIKE 'video.%' THEN 'video' ELSE op END AS op, workload, model, CASE WHEN turn <= ${MOST_TURNS} THEN turn END AS turn,
      count(*) FILTER (op NOT LIKE 'video.%' OR op = 'video.submit') AS sent FROM calls GROUP BY ALL ORDER BY min(n)`,
    z.object({ op: z.string(), workload: optionalText, model: optionalText, turn: optionalNumber, sent: n }),
  );

/** As fine as there are not too many, and as each has some samples on average. */
async function intervalsOf(
  { database, headers }: Read,
  cells: readonly Cell[],
  most: number,
): Promise<Intervals | undefined> {
  const startUs = instantUs(headers[0]?.startedAt ?? "");
  const [seen] = await database.all(
    `SELECT min(least(scheduled_us, sent_us)) AS first, greatest(max(end_us), (SELECT max(over_at) * 1000 FROM tasks_seen)) AS last FROM calls`,
    z.object({ first: n.nullable(), last: n.nullable() }),
  );
  if (Number.isNaN(startUs) || seen?.first == null || seen.last == null) return undefined;
  const [first, last] = [(seen.first - startUs) / 1_000, (seen.last - startUs) / 1_000];
  let widthMs = FIRST_WIDTH_MS;
  const length = (): number => Math.floor(last / widthMs) - Math.floor(first / widthMs) + 1;
  while (length() > MOST_COUNTED) widthMs *= 2;
  const fine = Math.max(0, Math.floor(last / widthMs)) - Math.min(0, Math.floor(first / widthMs)) + 1;
  const sent = cells.reduce((sum, cell) => sum + cell.sent, 0);
  let joined = 1;
  const isTooFine = (): boolean => {
    const count = fine / joined;
    return count > most || (count > 2 * LEAST_INTERVALS && sent / count < SAMPLES);
  };
  while (isTooFine()) joined *= 2;
  return { startUs, widthUs: 1_000 * widthMs * joined };
}

const instantUs = (text: string): number => Math.round(readInstant(text) * 1_000);

const STALL_US = STALL_MS * 1_000;

/** Gaps by kind of request, interval and size; and the tokens of streams whose chunks say when they came. */
async function makeGapSlices({ database, shardGroups }: Read, intervals: Intervals): Promise<void> {
  await database.run(
    "CREATE TABLE gap_slices (kind INTEGER, slot BIGINT, class BIGINT, n BIGINT, stalls BIGINT, longest BIGINT, tokens DOUBLE)",
  );
  for (const group of shardGroups) {
    const kinds = new Map<number, Map<number, GapSlice>>();
    const columns = ["kind", "coalesce(output_tokens, 0) / (len(gaps_us) + 1)"];
    await eachGap(database, group, { columns }, ([kind = 0, tokens = 0]) => {
      const slices = kinds.get(kind) ?? new Map<number, GapSlice>();
      kinds.set(kind, slices);
      let slot = Number.NaN;
      let slice: GapSlice;
      return ({ us, atUs }) => {
        const at = Math.floor((atUs - intervals.startUs) / intervals.widthUs);
        if (at !== slot) slice = sliceAt(slices, at);
        slot = at;
        slice.sizes.add(us);
        if (us > STALL_US) slice.stalls += 1;
        slice.tokens += tokens;
      };
    });
    for (const [kind, slices] of kinds) await database.append("gap_slices", sliceRows(kind, slices));
  }
}

interface GapSlice {
  readonly sizes: LogHistogram;
  stalls: number;
  tokens: number;
}

function sliceAt(slices: Map<number, GapSlice>, slot: number): GapSlice {
  const slice = slices.get(slot) ?? { sizes: new LogHistogram(), stalls: 0, tokens: 0 };
  slices.set(slot, slice);
  return slice;
}

/** A row per class of sizes; stalls and tokens of a slice are in the first. */
function* sliceRows(kind: number, slices: ReadonlyMap<number, GapSlice>): Generator<number[]> {
  for (const [slot, { sizes, stalls, tokens }] of slices) {
    let isFirst = true;
    for (const { index, count } of sizes.counted()) {
      yield [kind, slot, index, count, isFirst ? stalls : 0, sizes.max, isFirst ? tokens : 0];
      isFirst = false;
    }
  }
}

const distinct = <T>(values: readonly (T | undefined)[]): T[] =>
  [...new Set(values)].filter((value): value is Exclude<typeof value, undefined> => value !== undefined);

/** What tells the requests of one or several groups apart from others. */
interface Dimension {
  readonly by: ChartGroup["by"];
  readonly name: string;
  readonly isOne: (of: Cell) => boolean;
  readonly rows: SingleRows;
  readonly arrivals: Arrivals | undefined;
}

const partOf = (op: string): string | undefined =>
  Object.entries(WORKLOAD_KINDS).find(([, own]) =>
    own.some((each) => each === op || (op === "video" && each === "video.submit")),
  )?.[0];

/** The values that a part of the requests has, those of most requests first. */
function mostFirst(cells: readonly Cell[], nameOf: (of: Cell) => string | undefined): string[] {
  const sent = (value: string): number =>
    cells.reduce((sum, cell) => sum + (nameOf(cell) === value ? cell.sent : 0), 0);
  return distinct(cells.map(nameOf)).toSorted((a, b) => sent(b) - sent(a));
}

/** Whether each workload has one operation that no other has, so that both name the same requests. */
function areOperations(workloads: readonly string[], ops: readonly string[], cells: readonly Cell[]): boolean {
  const pairs = new Set(cells.map(({ workload, op }) => `${workload} ${op}`));
  const isWhole = cells.every(({ workload }) => workload !== undefined);
  return isWhole && workloads.length > 1 && workloads.length === ops.length && pairs.size === ops.length;
}

function dimensionsOf(cells: readonly Cell[], { tenants }: Gathered): Dimension[] {
  const ops = mostFirst(cells, ({ op }) => op);
  const workloads = mostFirst(cells, ({ workload }) => workload);
  const models = mostFirst(cells, ({ model }) => model);
  const turns = distinct(cells.map(({ turn }) => turn)).toSorted((a, b) => a - b);
  return [
    ...(areOperations(workloads, ops, cells) ? [] : ops).map((op): Dimension => {
      const part = partOf(op);
      const arrivals = ops.length === 1 ? {} : part === undefined ? undefined : { part };
      return { by: "operation", name: op, isOne: (of) => of.op === op, rows: {}, arrivals };
    }),
    ...workloads.map((name): Dimension => {
      const rows = { workloads: [name] };
      return { by: "workload", name, isOne: ({ workload }) => workload === name, rows, arrivals: rows };
    }),
    ...[...tenants].map(([name, own]): Dimension => {
      const rows = { workloads: own };
      const isOne = ({ workload }: Cell): boolean => workload !== undefined && own.includes(workload);
      return { by: "tenant", name, isOne, rows, arrivals: rows };
    }),
    ...models.map((name): Dimension => {
      const isOne = ({ model }: Cell): boolean => model === name;
      return { by: "model", name, isOne, rows: { models: [name] }, arrivals: { model: name } };
    }),
    ...(turns.length < 2 ? [] : turns).map((turn): Dimension => {
      return { by: "turn", name: String(turn), isOne: (of) => of.turn === turn, rows: { turn }, arrivals: undefined };
    }),
  ];
}

/** A group for each operation that the requests of a dimension are of. */
function groupsOf(cells: readonly Cell[], gathered: Gathered): GroupOf[] {
  return dimensionsOf(cells, gathered).flatMap(({ by, name, isOne, rows, arrivals }) => {
    const ops = distinct(cells.filter(isOne).map(({ op }) => op));
    const isPart = ops.length > 1;
    return ops.map((op) => ({
      by,
      op,
      name: isPart ? `${name} · ${op}` : name,
      rows: { ...rows, ops: opsOfGroup(op) },
      isPart,
      arrivals: isPart ? undefined : arrivals,
    }));
  });
}

/** The operations of the requests that count as one operation in charts. */
export const opsOfGroup = (op: string): readonly string[] => (op === "video" ? WORKLOAD_KINDS.video : [op]);

/** What is made of a group: its requests, its tasks where it is of videos, and its gaps, each as a part of a query. */
interface Source {
  readonly database: Database;
  readonly intervals: Intervals;
  /** Of second 0, in milliseconds from the first interval on. */
  readonly shiftS: number;
  readonly calls: string;
  readonly kinds: string;
  readonly tasks: string;
  readonly isVideo: boolean;
}

const OK_ENDS = TASK_ENDS.filter(isOkEnd).map(literal).join(", ");

function sourceOf({ rows, op }: GroupOf, { read, span }: Gathered, intervals: Intervals): Source {
  const { workloads, models } = rows;
  const of = { ...(workloads && { workloads }), ...(models?.[0] !== undefined && { model: models[0] }) };
  return {
    database: read.database,
    intervals,
    shiftS: intervals.startUs / 1_000_000 - span.origin / 1_000,
    calls: isOfSql(rows),
    kinds: `kind IN (SELECT kind FROM kinds WHERE ${isOfSql(rows)})`,
    tasks: `(SELECT t.*, u.measured FROM tasks_seen AS t JOIN (SELECT * FROM units WHERE ${unitsSql(of)}) AS u ON u.shard = t.shard AND u.own = t.own)`,
    isVideo: op === "video",
  };
}

/** Latencies of one interval. */
type Spread = readonly [count: number, p50: number, p95: number, p99: number, max: number];

async function groupOf(group: GroupOf, gathered: Gathered, intervals: Intervals): Promise<ChartGroup> {
  const { requests } = gathered.read;
  const source = sourceOf(group, gathered, intervals);
  const widthS = intervals.widthUs / 1_000_000;
  const timeOf = (index: number): number => Number((index * widthS + source.shiftS).toFixed(3));
  const perSecond = (count = 0): number => rounded(count / widthS);
  const events = await eventsOf(source);
  const gaps = await gapHistograms(source);
  const series: [MetricName, ChartSeries, readonly number[]][] = [];
  const spreads = await spreadsOf(source, requests, events);
  for (const name of METRIC_NAMES) {
    const own = spreads.get(name);
    const made =
      name === "icl"
        ? await gapSeries(group, gathered, source, gaps)
        : own && (await seriesOf(name, group, gathered, source, own));
    if (made !== undefined) series.push([name, made.series(timeOf), made.indexes]);
  }
  const indexes = [...new Set([...events.keys(), ...series.flatMap(([, , own]) => own)])].toSorted((a, b) => a - b);
  const [first = 0, last = -1] = [indexes[0], indexes.at(-1)];
  const arrivals = group.arrivals && (await arrivalsOf(source, group.arrivals));
  return omitUndefined<ChartGroup>({
    by: group.by,
    name: group.name,
    op: group.op,
    ...(group.isPart && {
      calls: await countCalls(requests, group.rows),
      metrics: inOrder(
        group.rows.turn === undefined
          ? await latencies(requests, gathered.waits(group.rows), group.rows)
          : await ownLatencies(requests, group.rows),
      ),
    }),
    rates: Array.from({ length: last - first + 1 }, (_, at) => first + at).map((index) => {
      const { sent, ok, failed, tokens, stalls } = events.get(index) ?? NOTHING;
      return [timeOf(index), perSecond(sent), perSecond(ok), perSecond(failed), perSecond(tokens), stalls];
    }),
    arrivals: arrivals?.map(({ slot: at, due, started }) => [timeOf(at), perSecond(due), perSecond(started)]),
    series: Object.fromEntries(series.map(([name, made]) => [name, made])),
    gaps: gaps.size === 0 ? undefined : heatOf([...gaps].map(([index, values]) => [timeOf(index), values])),
    byInputTokens: await byTokens(source),
  });
}

interface Events {
  sent: number;
  ok: number;
  failed: number;
  tokens: number;
  stalls: number;
}
const NOTHING: Readonly<Events> = { sent: 0, ok: 0, failed: 0, tokens: 0, stalls: 0 };

/** What was sent and ended in each interval; a task is sent with its submission, and ends when a poll says so. */
async function eventsOf(source: Source): Promise<ReadonlyMap<number, Events>> {
  const { database, intervals, calls, kinds, tasks, isVideo } = source;
  const at = (instant: string): string => intervalSql(intervals, instant);
  const counted = isVideo ? "op = 'video.submit'" : "TRUE";
  const event = (sql: { at: string; from: string; where: string } & Partial<Record<keyof Events, string>>): string =>
    `SELECT ${sql.at} AS slot, ${sql.sent ?? 0} AS sent, ${sql.ok ?? 0} AS ok, ${sql.failed ?? 0} AS failed, ${sql.tokens ?? 0} AS tokens, ${sql.stalls ?? 0} AS stalls FROM ${sql.from} WHERE ${sql.where} GROUP BY 1`;
  const count = "count(*)";
  const listed = "(has_gaps AND listed AND gaps > 0)";
  const parts = [
    event({ at: at("sent_us"), from: "calls", where: allOf(calls, counted), sent: count }),
    event({ at: at("end_us"), from: "calls", where: allOf(calls, counted, HAS_FAILED), failed: count }),
    event({
      at: at("end_us"),
      from: "calls",
      where: allOf(calls, counted, "outcome = 'ok'"),
      ok: isVideo ? "0" : count,
      tokens: `coalesce(sum(CASE WHEN NOT ${listed} THEN output_tokens END), 0)`,
    }),
    event({
      at: at("first_us"),
      from: "calls",
      where: allOf(calls, "outcome = 'ok'", listed),
      tokens: "coalesce(sum(output_tokens / (gaps + 1)), 0)",
    }),
    event({ at: "slot", from: "gap_slices", where: kinds, tokens: "sum(tokens)", stalls: "sum(stalls)" }),
    ...(isVideo
      ? [
          event({
            at: at("over_at * 1000"),
            from: tasks,
            where: `over_at IS NOT NULL AND "end" <> 'unfinished'`,
            ok: `count(*) FILTER ("end" IN (${OK_ENDS}))`,
            failed: `count(*) FILTER ("end" NOT IN (${OK_ENDS}))`,
          }),
        ]
      : []),
  ];
  const names = ["sent", "ok", "failed", "tokens", "stalls"] as const;
  const found = await database.all(
    `SELECT slot, ${names.map((name) => `CAST(sum(${name}) AS DOUBLE) AS ${name}`).join(", ")} FROM (${parts.join(" UNION ALL ")}) GROUP BY slot ORDER BY slot`,
    z.object({ slot: n, sent: n, ok: n, failed: n, tokens: n, stalls: n }),
  );
  return new Map(found.map(({ slot: index, ...events }) => [index, events]));
}

async function arrivalsOf({ database, intervals }: Source, { part, ...which }: Arrivals) {
  const where = allOf(unitsSql(which), ...(part === undefined ? [] : [`part = ${literal(part)}`]));
  const found = await database.all(
    `SELECT ${intervalSql(intervals, "scheduled_us")} AS slot, count(*) AS due, count(*) FILTER (outcome <> 'not_started') AS started FROM units WHERE ${where} GROUP BY slot ORDER BY slot`,
    z.object({ slot: n, due: n, started: n }),
  );
  return found.length === 0 ? undefined : found;
}

/** Gaps by interval. */
async function gapHistograms({ database, kinds }: Source): Promise<ReadonlyMap<number, LogHistogram>> {
  const found = await database.all(
    `SELECT slot, class, sum(n)::DOUBLE AS count, max(longest) AS longest FROM gap_slices WHERE ${kinds} GROUP BY ALL ORDER BY slot, class`,
    z.object({ slot: n, class: n, count: n, longest: n }),
  );
  const all = new Map<number, LogHistogram>();
  for (const { slot: at, class: index, count, longest } of found) {
    const known = all.get(at) ?? new LogHistogram();
    all.set(at, known);
    known.addClass(index, count, longest);
  }
  return all;
}

/** A series whose times are known once its group is. */
interface MadeSeries {
  readonly indexes: readonly number[];
  readonly series: (timeOf: (index: number) => number) => ChartSeries;
}

const spreadRow = z.object({ name: z.enum(METRIC_NAMES), slot: n, count: n, quantiles: z.array(n), max: n });
const classRow = z.object({ name: z.enum(METRIC_NAMES), class: n, count: n, longest: n });
const spreadOf = ({ count, quantiles: [p50 = 0, p95 = 0, p99 = 0], max }: z.infer<typeof spreadRow>): Spread => [
  count,
  ...([p50, p95, p99, max].map(rounded) as [number, number, number, number]),
];

const EVERY: Range = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** The values of a metric in each interval, and those of the measured phase by size. */
interface Spreads {
  readonly values: Values;
  readonly intervals: z.infer<typeof spreadRow>[];
  readonly sizes: LogHistogram;
}

/** Of every metric that the group has. */
async function spreadsOf(
  source: Source,
  { facts }: Requests,
  events: ReadonlyMap<number, Events>,
): Promise<ReadonlyMap<MetricName, Spreads>> {
  const { database, intervals } = source;
  const all = new Map<MetricName, Spreads>();
  for (const name of METRIC_NAMES) {
    const values = metric(name).ofRequest !== true || facts.present.has(name) ? valuesOf(name, source) : undefined;
    if (values !== undefined) all.set(name, { values, intervals: [], sizes: new LogHistogram() });
  }
  if (all.size === 0) return all;
  const valuesIn = (range: Range): string =>
    [...all]
      .map(([name, { values }]) => {
        const [slot, isIn] = [intervalSql(intervals, values.instant), isInRangeSql(intervals, values.instant, range)];
        return `SELECT ${literal(name)} AS name, ${slot} AS slot, CAST(${values.value} AS DOUBLE) AS v, ${values.measured} AS measured FROM ${values.from} WHERE ${allOf(...isIn)}`;
      })
      .join(" UNION ALL ");
  const counted = [...events].map(([at, { sent }]) => ({ at, count: sent }));
  for (const range of rangesOf(counted, MOST_AT_ONCE / all.size)) {
    const spreads = await database.all(
      `SELECT name, slot, count(*) AS count, quantile_disc(v, [0.5, 0.95, 0.99]) AS quantiles, max(v) AS max FROM (${valuesIn(range)}) GROUP BY name, slot ORDER BY name, slot`,
      spreadRow,
    );
    for (const spread of spreads) all.get(spread.name)?.intervals.push(spread);
  }
  const classes = await database.all(
    `SELECT name, ${classSql("CAST(round(v * 1000) AS BIGINT)")} AS class, count(*) AS count, max(v) * 1000 AS longest FROM (${valuesIn(EVERY)}) WHERE measured GROUP BY name, class`,
    classRow,
  );
  for (const { name, class: index, count, longest } of classes) all.get(name)?.sizes.addClass(index, count, longest);
  return new Map([...all].filter(([, { intervals: own }]) => own.length > 0));
}

/** Values of a metric: from where, the value in milliseconds, the instant that it counts from, and which are measured. */
interface Values {
  readonly from: string;
  readonly value: string;
  readonly instant: string;
  readonly measured: string;
  readonly id: string;
}

function valuesOf(name: MetricName, source: Source): Values | undefined {
  for (const [metricName, instant] of Object.entries(OF_REQUESTS)) {
    if (metricName !== name) continue;
    const value = quoted(name);
    const where = allOf(source.calls, "outcome = 'ok'", `${value} IS NOT NULL`);
    return {
      from: `(SELECT * FROM calls WHERE ${where}) AS own`,
      ...{ value, instant, measured: MEASURED, id: `(SELECT id FROM ${NUMBERED} AS r WHERE r.n = own.n)` },
    };
  }
  for (const [metricName, value] of Object.entries(OF_TASKS)) {
    if (metricName !== name || !source.isVideo) continue;
    const from = `(SELECT *, place AS n FROM ${source.tasks} WHERE ${value} IS NOT NULL)`;
    return { from, value, instant: "submitted_at * 1000", measured: "measured", id: "CAST(NULL AS VARCHAR)" };
  }
  return undefined;
}

async function seriesOf(
  name: MetricName,
  group: GroupOf,
  gathered: Gathered,
  { database }: Source,
  { values: { from, value, instant, measured, id }, intervals: spreads, sizes: all }: Spreads,
): Promise<MadeSeries> {
  const samples =
    all.count > 0 && all.count < FEW
      ? await database.all(
          `SELECT (${instant}) / 1000000 AS slot, ${value} AS ms, ${id} AS id FROM ${from} WHERE ${measured} ORDER BY n`,
          z.object({ slot: n, ms: n, id: optionalText }),
        )
      : [];
  const curve = await curveOf(name, group, gathered);
  const originS = gathered.span.origin / 1_000;
  return {
    indexes: spreads.map(({ slot }) => slot),
    series: (timeOf) => ({
      count: all.count,
      intervals: spreads.map((each) => [timeOf(each.slot), ...spreadOf(each)]),
      histogram: classesOf(all).map(({ from: low, to, count }) => [inMs(low), inMs(to), count]),
      curve: curve.map(([share, ms]) => [share, rounded(ms)]),
      ...(samples.length > 0 && {
        samples: samples.map(({ slot: at, ms, id: own }) => ({
          t: Number((at - originS).toFixed(3)),
          ms: rounded(ms),
          ...(own !== undefined && { id: own }),
        })),
      }),
    }),
  };
}

async function gapSeries(
  group: GroupOf,
  gathered: Gathered,
  { database, kinds }: Source,
  gaps: ReadonlyMap<number, LogHistogram>,
): Promise<MadeSeries | undefined> {
  const classes = await database.all(
    `SELECT ${classSql("us")} AS class, sum(n)::DOUBLE AS count, max(us) AS longest FROM gap_counts WHERE shape = 'pool' AND ${kinds} GROUP BY 1`,
    z.object({ class: n, count: n, longest: n }),
  );
  if (classes.length === 0 && gaps.size === 0) return undefined;
  const all = new LogHistogram();
  for (const { class: index, count, longest } of classes) all.addClass(index, count, longest);
  const { pool, requests } = await gathered.read.requests.gaps(group.rows);
  return {
    indexes: [...gaps.keys()],
    series: (timeOf) => ({
      count: all.count,
      intervals: [...gaps].map(([index, own]) => [
        timeOf(index),
        own.count,
        ...([0.5, 0.95, 0.99].map((share) => inMs(own.quantile(share))) as [number, number, number]),
        inMs(own.max),
      ]),
      histogram: classesOf(all).map(({ from, to, count }) => [inMs(from), inMs(to), count]),
      curve: pool.curve(requests).map(([share, ms]) => [share, rounded(ms)]),
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

async function curveOf(name: MetricName, { rows }: GroupOf, { read, waits }: Gathered): Promise<[number, number][]> {
  const { requests } = read;
  if (metric(name).ofRequest !== true) return [];
  const more = metric(name).scheduled && rows.turn === undefined ? await waits(rows)(name).count : 0;
  const points = await requests.sample(name, rows).curve(more);
  return points.filter(([, value]) => !Number.isNaN(value));
}

const heatOf = (timed: readonly (readonly [t: number, gaps: LogHistogram])[]): ChartGroup["gaps"] =>
  timed.flatMap(([t, gaps]) =>
    [...gaps.classes(JOINED_HEAT)].map(({ from, to, count }): [number, number, number, number] => [
      t,
      inMs(from),
      inMs(to),
      count,
    ]),
  );

/** Time to first token by input tokens: eight sizes from each power of two to the next. */
async function byTokens({ database, calls }: Source): Promise<ChartGroup["byInputTokens"]> {
  const found = await database.all(
    `SELECT CAST(round(8 * log2(greatest(1, input_tokens))) AS BIGINT) AS size, ${classSql("CAST(round(ttft * 1000) AS BIGINT)")} AS class, count(*) AS count, max(ttft) * 1000 AS longest
      FROM calls WHERE ${allOf(MEASURED, calls, "outcome = 'ok'", "ttft IS NOT NULL", "input_tokens IS NOT NULL")} GROUP BY ALL ORDER BY size, class`,
    z.object({ size: n, class: n, count: n, longest: n }),
  );
  if (found.length === 0) return undefined;
  const rows = new Map<number, LogHistogram>();
  for (const { size, class: index, count, longest } of found) {
    const known = rows.get(size) ?? new LogHistogram();
    rows.set(size, known);
    known.addClass(index, count, longest);
  }
  return [...rows].flatMap(([size, values]) =>
    [...values.classes(JOINED)].map(({ from, to, count }): [number, number, number, number, number] => [
      rounded(2 ** ((size - 0.5) / 8)),
      rounded(2 ** ((size + 0.5) / 8)),
      inMs(from),
      inMs(to),
      count,
    ]),
  );
}

/** To four digits. */
const rounded = (value: number): number => Number(value.toPrecision(4));
const inMs = (us: number): number => rounded(us / 1_000);
