/** The tables of a load: what each holds, and the SQL that makes it of the files in a result folder. Pure. */

import { z } from "zod";
import { TERMINAL_STATES } from "../../contract/service.ts";
import { type CanaryLine, canaryLine } from "../../formats/canary.ts";
import { type ClientLine, clientLine } from "../../formats/client.ts";
import { FILES } from "../../formats/file-names.ts";
import {
  type ArrivalLine,
  arrivalLine,
  type CountedGaps,
  gapsLine,
  recordHeader,
  requestRecord,
} from "../../formats/records.ts";
import { type ScrapeLine, scrapeLine } from "../../formats/scrapes.ts";
import { literal, quoted } from "../../lib/duckdb.mjs";
import {
  CONVERT,
  type Column,
  columnName,
  columnsOf,
  type Kind,
  listOf,
  own,
  type ReadColumn,
  SHARD_NUMBER,
  typesToRead,
} from "./columns.ts";
import { LINE, NUMBERED, REQUEST, REQUEST_COLUMNS, SHARD, STORED, storeLines } from "./stored-requests.ts";

/** A table, as users see it. */
export interface Table {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly Column[];
}

const ARRIVAL = {
  index: "whole",
  phase: "text",
  scheduled: "instant",
  end: "text",
  detail: "text",
} as const satisfies Readonly<Record<keyof ArrivalLine, Kind>>;

const COUNTED = {
  op: "text",
  phase: "text",
  workload: "text",
  error: "number",
} as const satisfies Readonly<Record<keyof Omit<CountedGaps, "us" | "n">, Kind>>;

const CLIENT = {
  cpu: "number",
  cpus: "number",
  rss_mb: "number",
  heap_mb: "number",
  gc_cycles: "number",
  gc_pause_ms: "number",
  memory_limit_mb: "number",
  gc_cpu_ms: "number",
  run_delay_ms: "number",
  throttled: "number",
  wake_p50_ms: "number",
  wake_p99_ms: "number",
  wake_max_ms: "number",
  wakes_us: "numbers",
  open: "number",
  in_flight_limit: "number",
  lag_p99_ms: "number",
  offered: "json",
  started: "json",
  ended: "wholes",
  completed: "number",
  ok: "number",
  answered: "number",
  outcomes: "json",
  connections_opened: "number",
  packets: "number",
  packets_out_of_order: "number",
  packets_sent_again: "number",
  round_trip_ms: "number",
  ttft_p50_ms: "number",
  e2e_p50_ms: "number",
  target_clock_ms: "numbers",
  schedule_started_at: "instant",
  final: "flag",
  records: "whole",
  error: "text",
  stopped: "text",
} as const satisfies Readonly<Record<keyof Omit<ClientLine, "t">, Kind>>;

const SCRAPE = {
  at: "instant",
  source: "text",
  tookMs: "milliseconds",
  error: "text",
  malformed: "whole",
  dropped: "whole",
} as const satisfies Readonly<Record<keyof Omit<ScrapeLine, "values">, Kind>>;

const CANARY = {
  at: "instant",
  prompt: "whole",
  alone: "flag",
  text: "text",
  error: "text",
} as const satisfies Readonly<Record<keyof CanaryLine, Kind>>;

const HEADER = {
  startedAt: "instant",
  seed: "number",
  segment: "text",
  run: "text",
  k6: "text",
  k6Sha256: "text",
  settings: "json",
} as const satisfies Readonly<Record<keyof Omit<typeof recordHeader.shape, "schema">, Kind>>;

/** Longest line that is read: a stream of two million chunks. */
const LONGEST_LINE = 16 << 20;

/** How lines that are no JSON, or do not fit, are read: `strict` fails, `lenient` leaves out what cannot be read. */
export type Reading = "strict" | "lenient";

/** The lines of a file with the number of each; the path is a parameter. */
const linesIn = (types: Readonly<Record<string, string>>, reading: Reading): string =>
  `SELECT row_number() OVER () AS line_number, * FROM read_json(?, format = 'newline_delimited', columns = {${Object.entries(
    types,
  )
    .map(([member, type]) => `${quoted(member)}: ${literal(type)}`)
    .join(", ")}}, maximum_object_size = ${LONGEST_LINE}, ignore_errors = ${reading === "lenient"})`;

/** A query of the digests of what records say was sent, each once; a line that cannot be read is left out. */
export const DIGESTS = `SELECT DISTINCT input_digest, prefix_digest FROM (${linesIn({ input_digest: "BIGINT", prefix_digest: "BIGINT" }, "lenient")}) WHERE input_digest IS NOT NULL`;

/** A table of which each row is a line of a file, or a part of one. */
interface FileTable extends Table {
  readonly columns: readonly ReadColumn[];
  /** Where the lines come from: a file of a result folder, or the lines of the records that are no requests. */
  readonly source: Source;
  /** Which lines are rows. */
  readonly where: string;
}

/** The members of the lines of a file that are read, and as what; the path is that of the file in a result folder. */
interface Source {
  readonly file: string;
  readonly types: Readonly<Record<string, string>>;
}

/** The header, arrivals and counted gaps are few lines among many: they are looked for once. */
const OTHER_LINES: Source = {
  file: FILES.records,
  types: {
    ...typesToRead(HEADER),
    schema: "VARCHAR",
    op: "VARCHAR",
    arrival: "JSON",
    gaps: "STRUCT(op VARCHAR, phase VARCHAR, workload VARCHAR, error DOUBLE, us DOUBLE[], n DOUBLE[])",
  },
};
const OTHERS = "other_lines";

/** Columns by other names than their members have. */
const renamed = (columns: readonly ReadColumn[], names: Readonly<Record<string, string>>): ReadColumn[] =>
  columns.map((column) => ({ ...column, name: names[column.name] ?? column.name }));

const FILE_TABLES: readonly FileTable[] = [
  {
    name: "runs",
    meaning: "one row per result folder: what was run",
    source: OTHER_LINES,
    where: "schema IS NOT NULL",
    columns: [SHARD, ...renamed(columnsOf(recordHeader, HEADER), { startedAt_us: "started_us" })],
  },
  {
    name: "arrivals",
    meaning: "one row per arrival whose requests do not say how it ended",
    source: OTHER_LINES,
    where: "json_type(arrival) = 'OBJECT'",
    columns: [
      SHARD,
      LINE,
      ...renamed(
        columnsOf(
          arrivalLine.shape.arrival,
          ARRIVAL,
          (member, type) => `${CONVERT}(arrival ->> ${literal(member)} AS ${type})`,
        ),
        { index: "arrival" },
      ),
    ],
  },
  {
    name: "counted_gaps",
    meaning: "with --records summary: gaps between chunks of ok requests, as a histogram counts them",
    source: OTHER_LINES,
    where: "gaps IS NOT NULL",
    columns: [
      SHARD,
      LINE,
      ...columnsOf(gapsLine.shape.gaps, COUNTED, (member) => `gaps.${quoted(member)}`),
      own("gap_us", "BIGINT", "length", "CAST(unnest(gaps.us) AS BIGINT)", "µs"),
      own("count", "BIGINT", "number of gaps of this length", "CAST(unnest(gaps.n) AS BIGINT)"),
    ],
  },
  {
    name: "client",
    meaning: "one row per second: the health of the load generator",
    source: { file: FILES.client, types: { ...typesToRead(CLIENT), t: "DOUBLE" } },
    where: "t IS NOT NULL",
    columns: [
      SHARD,
      own("t_us", "BIGINT", "since the start of the run", `${CONVERT}(round(t * 1000000) AS BIGINT)`, "µs"),
      ...columnsOf(clientLine, CLIENT),
    ],
  },
  {
    name: "scrapes",
    meaning: "one row per metric value of the target, and per failed reading",
    source: { file: FILES.scrapes, types: { ...typesToRead(SCRAPE), values: "MAP(VARCHAR, DOUBLE)" } },
    where: '"at" IS NOT NULL',
    columns: [
      SHARD,
      ...renamed(columnsOf(scrapeLine, SCRAPE), { tookMs_us: "took_us" }),
      own("series", "VARCHAR", "name of the series, with its labels", 'unnest(coalesce(map_keys("values"), [NULL]))'),
      own("value", "DOUBLE", "its value", 'unnest(coalesce(map_values("values"), [NULL]))'),
    ],
  },
  {
    name: "canary",
    meaning: "one row per response to a canary prompt",
    source: { file: FILES.canary, types: typesToRead(CANARY) },
    where: '"at" IS NOT NULL',
    columns: [SHARD, ...columnsOf(canaryLine, CANARY)],
  },
];

const isTerminal = `task_state IN ${listOf(TERMINAL_STATES)}`;

interface View extends Table {
  readonly columns: readonly ReadColumn[];
  readonly from: string;
}

/** Tables that are queries over the others. */
const VIEWS: readonly View[] = [
  {
    name: "gaps",
    meaning: "one row per gap between two events with content of a request, if the records list them",
    from: `(SELECT shard, line, id, sent_us + ttft_us AS first_us, unnest(gaps_us) AS gap_us, generate_subscripts(gaps_us, 1) AS number FROM requests)`,
    columns: [
      own("shard", "BIGINT", SHARD.meaning, "shard"),
      own("line", "BIGINT", "that of its request", "line"),
      own("id", "VARCHAR", "that of its request", "id"),
      own("number", "BIGINT", "of the gap in its request, from 1", "number"),
      own("gap_us", "BIGINT", "length", "gap_us", "µs"),
      own(
        "at_us",
        "BIGINT",
        "when it ended",
        "first_us + CAST(sum(gap_us) OVER (PARTITION BY shard, line ORDER BY number) AS BIGINT)",
        "µs since 1970, UTC",
      ),
    ],
  },
  {
    name: "tasks",
    meaning: "one row per video task: what its requests showed",
    from: "requests WHERE task IS NOT NULL GROUP BY shard, task",
    columns: [
      own("shard", "BIGINT", SHARD.meaning, "shard"),
      own("task", "VARCHAR", "id of the task", "task"),
      own("arrival", "BIGINT", "number of its arrival", "min(arrival)"),
      own(
        "submitted_us",
        "BIGINT",
        "start of the call that submitted it",
        "min(sent_us) FILTER (op = 'video.submit' AND outcome = 'ok')",
        "µs since 1970, UTC",
      ),
      own("polls", "BIGINT", "polls that were sent", "count(*) FILTER (op = 'video.poll')"),
      own(
        "state",
        "VARCHAR",
        "the last status that a response showed",
        "arg_max(task_state, line) FILTER (task_state IS NOT NULL)",
      ),
      own(
        "ended_us",
        "BIGINT",
        "end of the first poll that showed it completed, failed or cancelled",
        `min(sent_us + e2e_us) FILTER (op = 'video.poll' AND ${isTerminal})`,
        "µs since 1970, UTC",
      ),
      own("cost", "DOUBLE", "usage.total_cost, as last reported", "arg_max(cost, line) FILTER (cost IS NOT NULL)"),
    ],
  },
];

const REQUESTS: Table = { name: "requests", meaning: "one row per request", columns: REQUEST_COLUMNS };

/** Every table, in the order in which they are described. */
export const TABLES: readonly Table[] = [...FILE_TABLES.slice(0, 1), REQUESTS, ...FILE_TABLES.slice(1), ...VIEWS];

/** A statement that reads one folder. */
export interface Filling {
  /** The file whose path is its parameter; absent: it has none. */
  readonly file?: string;
  readonly sql: string;
}

const selected = (columns: readonly ReadColumn[]): string =>
  columns.map(({ name, value }) => `${value} AS ${quoted(name)}`).join(", ");

/** Makes the empty tables of a file, or of all, but for that of the requests. */
export const makeTables = (only?: string): string =>
  FILE_TABLES.filter(({ source }) => only === undefined || source.file === only)
    .map(
      ({ name, columns }) =>
        `CREATE TABLE ${quoted(name)} (${columns.map((column) => `${quoted(column.name)} ${column.type}`).join(", ")})`,
    )
    .join(";\n");

/** Makes the tables that are queries over the others. */
export const makeViews = (): string =>
  VIEWS.map(
    ({ name, from, columns }) => `CREATE VIEW ${quoted(name)} AS SELECT ${selected(columns)} FROM ${from}`,
  ).join(";\n");

/** How the files of a result folder are read. */
export interface Filled {
  /** Number of the folder, from 1. */
  readonly shard: number;
  readonly reading: Reading;
  /** The members of requests that are stored. */
  readonly members: ReadonlySet<string>;
}

/**
 * The statements that add a result folder.
 * @param only the file to read alone; absent: all
 */
export function fillTables({ shard, reading, members }: Filled, only?: string): Filling[] {
  const requests = storeLines(linesIn(typesToRead(REQUEST), reading), members);
  // No more lines are looked for than are known to be there.
  const others = `CREATE OR REPLACE TEMP TABLE ${OTHERS} AS SELECT * FROM (${linesIn(OTHER_LINES.types, reading)}) WHERE op IS NULL LIMIT (SELECT count(*) FROM ${STORED} WHERE op IS NULL AND shard = ${shard})`;
  const tables = FILE_TABLES.filter(({ source }) => only === undefined || source.file === only).map(
    ({ name, columns, source, where }): Filling => {
      const from = source === OTHER_LINES ? OTHERS : `(${linesIn(source.types, reading)})`;
      const sql = `INSERT INTO ${quoted(name)} SELECT ${selected(columns)} FROM ${from} WHERE ${where}`;
      return source === OTHER_LINES ? { sql } : { file: source.file, sql };
    },
  );
  return [{ file: FILES.records, sql: requests }, { file: FILES.records, sql: others }, ...tables].map((each) => ({
    ...each,
    sql: each.sql
      .replaceAll(SHARD_NUMBER, String(shard))
      .replaceAll(CONVERT, reading === "strict" ? "CAST" : "TRY_CAST"),
  }));
}

/**
 * Removes the rows of a result folder.
 * @param only from the tables of this file; absent: from all
 */
export const emptyTables = (shard: number, only?: string): string =>
  [STORED, ...FILE_TABLES.flatMap(({ name, source }) => (only === undefined || source.file === only ? [name] : []))]
    .map((name) => `DELETE FROM ${quoted(name)} WHERE shard = ${shard}`)
    .join(";\n");

/** What a JSON schema says of a member, as far as a column can be compared with it. */
const memberSchema = z.object({
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z
    .object({ enum: z.array(z.string()).optional(), minimum: z.number().optional() })
    .or(z.boolean())
    .optional(),
});
const objectSchema = z.object({ required: z.array(z.string()), properties: z.record(z.string(), memberSchema) });

/**
 * Conditions of which each holds for rows that the format of a line does not allow.
 * @param stored the members that may have values; absent: all
 */
function unfitRows(
  schema: z.ZodType,
  kinds: Readonly<Record<string, Kind>>,
  { of = quoted, stored }: { readonly of?: (name: string) => string; readonly stored?: ReadonlySet<string> } = {},
): string[] {
  const { required, properties } = objectSchema.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return Object.entries(kinds).flatMap(([member, kind]) => {
    if (stored?.has(member) === false && !required.includes(member)) return [];
    const { minimum, maximum, enum: values, items } = properties[member] ?? {};
    const column = of(columnName(member, kind));
    const scale = kind === "milliseconds" ? 1_000 : 1;
    return [
      ...(required.includes(member) ? [`${column} IS NULL`] : []),
      ...(values ? [`${column} NOT IN ${listOf(values)}`] : []),
      ...(minimum === undefined || !COMPARED.includes(kind) ? [] : [`${column} < ${minimum * scale}`]),
      ...(maximum === undefined || !COMPARED.includes(kind) ? [] : [`${column} > ${maximum * scale}`]),
      ...(typeof items !== "object" || items.minimum === undefined ? [] : [`list_min(${column}) < ${items.minimum}`]),
      ...(typeof items === "object" && items.enum
        ? [`NOT list_has_all([${items.enum.map(literal).join(", ")}], ${column})`]
        : []),
    ];
  });
}

const COMPARED: readonly Kind[] = ["whole", "wholeOrOther", "number", "milliseconds"];

const unfitArrivals = (): string[] =>
  unfitRows(arrivalLine.shape.arrival, ARRIVAL, { of: (name) => quoted(name === "index" ? "arrival" : name) });

/** A year in microseconds, and a day more. */
const YEAR_US = 367 * 86_400e6;

const isPart = (list: string): string => `len(list_filter(${list}, lambda each: each <> floor(each))) > 0`;
/** Of lines with counted gaps. */
const unfitGaps = (): string[] => [
  ...unfitRows(
    gapsLine.shape.gaps,
    { ...COUNTED, us: "numbers", n: "numbers" },
    { of: (name) => `gaps.${quoted(name)}` },
  ),
  ...["gaps.us", "gaps.n"].map(isPart),
  "len(gaps.us) <> len(gaps.n)",
];

/**
 * A query of one row: whether the records of a shard are as their format has them, each line in one table, none twice, and none from a
 * year other than its run. What is not is read line by line, which says where it is.
 * @param members of requests that are stored
 */
export const areRecordsFit = (shard: number, members: ReadonlySet<string>): string => {
  const countIf = (conditions: readonly string[]): string => `count(*) FILTER (${conditions.join(" OR ")})`;
  const from = (table: string): string => `FROM ${table} WHERE shard = ${shard}`;
  const isOfYear = (table: string): string =>
    `coalesce(greatest(${table}.latest - started, started - ${table}.earliest) <= ${YEAR_US}, TRUE)`;
  return `SELECT runs = 1 AND r.unfit = 0 AND r.twice = 0 AND ${isOfYear("r")} AND a.unfit = 0 AND a.twice = 0 AND ${isOfYear("a")}
      AND unknown = 0 AND o.unfit = 0 AND coalesce(header = 1, FALSE) AS fit
    FROM (SELECT count(*) AS runs, min(started_us) AS started ${from("runs")}),
      (SELECT ${countIf(unfitRows(requestRecord, REQUEST, { stored: members }))} AS unfit, count(*) - count(DISTINCT hash(id)) AS twice,
        min(least(scheduled_us, sent_us)) AS earliest, max(greatest(scheduled_us, sent_us)) AS latest ${from(NUMBERED)}) AS r,
      (SELECT ${countIf(unfitArrivals())} AS unfit, count(*) - count(DISTINCT arrival) AS twice,
        min(scheduled_us) AS earliest, max(scheduled_us) AS latest ${from("arrivals")}) AS a,
      (SELECT count(*) FILTER (schema IS NULL AND gaps IS NULL AND json_type(arrival) IS DISTINCT FROM 'OBJECT') AS unknown,
        count(*) FILTER (gaps IS NOT NULL AND (${unfitGaps().join(" OR ")})) AS unfit,
        min(line_number) FILTER (schema IS NOT NULL) AS header FROM ${OTHERS}) AS o`;
};
