/** Reading the files of a run, or of its shards, into tables; damage is reported. */

import { z } from "zod";
import { type ClientLine, clientLine } from "../../../formats/client.ts";
import {
  arrivalLine,
  gapsLine,
  kindOfLine,
  type RecordHeader,
  recordHeader,
  requestRecord,
} from "../../../formats/records.ts";
import type { Stop } from "../../../formats/stop.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import { formatInstant, readInstant } from "../../../settings/instants.ts";
import { readsFirstToken } from "../../../settings/load/leave.ts";
import { type Damage, LineError, type Lines, readLines } from "../../json-lines.ts";
import type { Database } from "../../tables/database.ts";
import { checkTask } from "./bound-check.ts";
import { earlyArrivals, groupsOf, type Peculiarities, type ShardGroup } from "./calls-sql.ts";
import { type LoadSize, makeCalls, sizeOfLoad } from "./calls-table.ts";
import { type ClockError, clockErrorOf } from "./clock-error.ts";
import { MOVED_NONE, withoutEarly } from "./early-arrivals.ts";
import { addCountedGaps, countGaps } from "./gaps.ts";
import { Requests } from "./measured-requests.ts";
import { modelsOf, type RunWorkload, workloadOfNumber, workloadsOf } from "./run-workloads.ts";
import { overlap, segmentName, WHOLE } from "./segments.ts";
import { gatherTasks } from "./task-histories.ts";
import { Units } from "./unit-rows.ts";
import { areSingleUnits, makeBegunUnits, makeUnits } from "./units-sql.ts";

/** The files of one load generator, line by line. */
export interface Shard {
  readonly records: Lines;
  /** Path of the records, which the database reads itself as long as nothing is wrong with them; absent: it is given their lines. */
  readonly path?: string;
  readonly client: Lines;
  /** Metrics of the target's own; absent where none were read. */
  readonly scrapes?: Lines;
  /** Responses to canary prompts; absent where none were asked. */
  readonly canary?: Lines;
  /** Why Assay ended it before its time; absent: it did not. */
  readonly stop?: Stop | undefined;
}

/** What the files of a run hold. */
export interface Read {
  readonly database: Database;
  readonly requests: Requests;
  readonly units: Units;
  /** What the tables of the shards were made with. */
  readonly shardGroups: readonly ShardGroup[];
  /** Of the shards whose first line could be read. */
  readonly headers: readonly RecordHeader[];
  /** One per shard. */
  readonly clients: readonly (readonly ClientLine[])[];
  readonly shards: readonly { readonly header: RecordHeader | undefined; readonly client: readonly ClientLine[] }[];
  /** The first reason for which Assay ended one of the shards before its time. */
  readonly stop: Stop | undefined;
  readonly damage: string[];
  readonly notes: string[];
}

/** What the reading of a load needs to know. */
interface Reading {
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
  /** What was due before this instant, in milliseconds since 1970, is of the warm-up; absent: nothing. */
  readonly steadyFrom?: number | undefined;
}

/** What was found of one shard. */
interface ReadShard {
  readonly header: RecordHeader | undefined;
  readonly client: readonly ClientLine[];
  readonly clock: ClockError;
}

/** Reads all shards of a run into the tables of an empty database. */
export async function readShards(
  database: Database,
  shards: readonly Shard[],
  { bounds, steadyFrom }: Reading,
): Promise<Read> {
  const [damage, notes]: [string[], string[]] = [[], []];
  const read: ReadShard[] = [];
  await database.run("CREATE TABLE lateness (shard DOUBLE, slice DOUBLE, late DOUBLE)");
  for (const [index, shard] of shards.entries()) {
    const of = shards.length > 1 ? ` of shard ${index + 1}` : "";
    read.push(await readShard(database, shard, { index, of, steadyFrom, damage, notes }));
  }
  const shardGroups = await makeTables(database, read, { bounds, steadyFrom });
  const requests = await Requests.of(
    database,
    read.map(({ clock }) => clock),
  );
  const clients = read.map(({ client }) => client);
  damage.push(
    ...missingRecords(clients, requests),
    ...twice(read.flatMap(({ header }) => header ?? [])),
    ...notOneLoad(read),
  );
  const missing = await missingGaps(requests);
  if (missing !== undefined) (clients.every(isFinal) ? damage : notes).push(missing);
  notes.push(...outOfStep(clients));
  return {
    ...{ database, requests, units: await Units.of(database), shardGroups, clients, shards: read, damage, notes },
    headers: read.flatMap(({ header }) => header ?? []),
    stop: shards.flatMap(({ stop }) => stop ?? []).sort((a, b) => a.t - b.t)[0],
  };
}

/** Reads the health of a load generator and its records; lines that do not fit are named. */
async function readShard(
  database: Database,
  shard: Shard,
  {
    index,
    of,
    steadyFrom,
    ...said
  }: {
    readonly index: number;
    readonly of: string;
    readonly steadyFrom: number | undefined;
    readonly damage: string[];
    readonly notes: string[];
  },
): Promise<ReadShard> {
  const clientName = `client.jsonl${of}`;
  const { all, damage } = await readHealth(clientName, shard.client);
  const name = `records.jsonl${of}`;
  const header = await readRecords(database, index + 1, name, shard, said);
  const moved = steadyFrom === undefined ? MOVED_NONE : await earlyIn(database, index, Math.round(steadyFrom * 1_000));
  const client = all
    .filter(({ schedule_started_at: start }) => notOfTime(header, start) === undefined)
    .map((line) => withoutEarly(line, moved));
  for (const { schedule_started_at: start } of all) {
    const problem = notOfTime(header, start);
    if (problem !== undefined && damage.count === 0)
      damage.problems.push(`${clientName}: schedule_started_at: ${problem}`);
    if (problem !== undefined) damage.count += 1;
  }
  reportDamage(clientName, damage, said);
  if (client.at(-1)?.final !== true) said.notes.push(`${clientName} has no final line: the load generator was killed`);
  return { header, client, clock: clockErrorOf(all, readInstant(header?.startedAt ?? "") || 0) };
}

/** The health of a load generator, second by second, without the lines that do not fit. */
export async function readHealth(
  name: string,
  lines: Lines,
): Promise<{ readonly all: readonly ClientLine[]; readonly damage: Damage }> {
  const all: ClientLine[] = [];
  const damage = await readLines(name, lines, (value) => {
    // The records say which arrivals ended, and their numbers would take the more memory the longer the run.
    const { ended: _, ...line } = clientLine.parse(value);
    all.push(nextLine(line, all.at(-1)));
  });
  return { all, damage };
}

/** How many arrivals of a shard are early: those that started, and those that never did. */
async function earlyIn(database: Database, shard: number, steadyFromUs: number) {
  const [found] = await database.all(
    `SELECT (SELECT count(*) FROM (${earlyArrivals(shard, steadyFromUs)})) AS started,
      (SELECT count(*) FROM arrivals WHERE shard = ${shard + 1} AND phase = 'measure' AND "end" = 'not_started' AND scheduled_us < ${steadyFromUs}) AS "neverStarted"`,
    z.object({ started: z.number(), neverStarted: z.number() }),
  );
  return found ?? MOVED_NONE;
}

type Said = Pick<Read, "damage" | "notes">;

/** The header of the records, which are added to the tables: at once, or line by line where one of them does not fit. */
async function readRecords(
  database: Database,
  number: number,
  name: string,
  { records, path }: Shard,
  said: Said,
): Promise<RecordHeader | undefined> {
  if (path !== undefined && (await database.addRecords(number, path))) return headerIn(records);
  let read: FittingRecords = { header: undefined, damage: { problems: [], count: 0, cutOff: false } };
  const isAdded = await database.addRecords(number, async (add) => {
    read = await readFitting(name, records, add);
  });
  const { header, damage } = read;
  if (!isAdded && header !== undefined)
    throw new Error(`The database does not take the lines of ${name} that have the right form`);
  reportDamage(name, damage, said);
  if (header === undefined && damage.count === 0) said.damage.push(`${name} is empty`);
  return header;
}

interface FittingRecords {
  readonly header: RecordHeader | undefined;
  readonly damage: Damage;
}

/** Hands on the lines of records that fit, and says which do not. */
export async function readFitting(name: string, records: Lines, add: (line: string) => void): Promise<FittingRecords> {
  const fitting = new FittingLines();
  const damage = await readLines(name, records, (value) => add(JSON.stringify(fitting.take(value))));
  return { header: fitting.header, damage };
}

/** The header of records that are known to begin with one. */
async function headerIn(records: Lines): Promise<RecordHeader | undefined> {
  for await (const line of records) {
    if (typeof line === "string" && line.trim() !== "") return recordHeader.parse(JSON.parse(line));
  }
  return undefined;
}

/** The lines of records that fit: the header first, no id and no arrival twice. */
class FittingLines {
  header: RecordHeader | undefined;
  readonly #ids = new Set<string>();
  readonly #told = new Set<number>();

  /** @returns the value, if it fits; otherwise it throws what says why */
  take(value: unknown): unknown {
    const { header } = this;
    const kind = kindOfLine(value);
    if (header === undefined) {
      this.header = recordHeader.parse(value);
      return this.header;
    }
    if (kind === "gaps") return gapsLine.parse(value);
    if (kind === "arrival") {
      const line = arrivalLine.parse(value);
      const { index, scheduled } = line.arrival;
      requireTimeOf(header, "scheduled", scheduled);
      if (this.#told.has(index)) throw new LineError(`arrival ${index} has such a line already`);
      this.#told.add(index);
      return line;
    }
    const record = requestRecord.parse(value);
    requireTimeOf(header, "scheduled", record.scheduled);
    requireTimeOf(header, "sent", record.sent);
    if (this.#ids.has(record.id)) throw new LineError(`the id ${JSON.stringify(record.id)} is that of an earlier line`);
    this.#ids.add(record.id);
    return record;
  }
}

/** Makes the tables that figures are computed from. */
async function makeTables(
  database: Database,
  shards: readonly ReadShard[],
  { bounds, steadyFrom }: Reading,
): Promise<readonly ShardGroup[]> {
  const [first] = shards;
  const settings = first?.header?.settings;
  const largest = shards.reduce((most, { clock }) => Math.max(most, clock.largest), 0);
  const has = { ...(await peculiaritiesOf(database)), lateness: largest > 0 };
  const each = shards.map(
    ({ header, clock }, shard): ShardGroup => ({
      ...{ first: shard, clocks: [clock], interruptions: clock.interruptions, bounds },
      workloads: header && workloadsOf(header.settings),
      hasModels: header !== undefined && modelsOf(header.settings) !== undefined,
      steadyFromUs: steadyFrom === undefined ? undefined : Math.round(steadyFrom * 1_000),
      has,
    }),
  );
  for (const [shard, { clock }] of shards.entries()) {
    if (clock.largest > 0)
      await database.append(
        "lateness",
        Array.from(clock.slices, (late, slice) => [shard, slice, late]),
      );
  }
  const all = groupsOf(each);
  const size = await sizeOfLoad(database);
  await makeCalls(database, all, size);
  await database.run("CREATE TABLE gap_counts (kind INTEGER, shape VARCHAR, listed BOOLEAN, us BIGINT, n BIGINT)");
  for (const group of all) {
    await countGaps(database, group);
    if (has.countedGaps) await addCountedGaps(database, group);
  }
  await tellArrivals(database, shards, steadyFrom);
  await gatherTasks(database, (figures) => checkTask(figures, bounds, 2 * largest));
  await tellUnits(database, (settings && workloadsOf(settings)) ?? [], size);
  return all;
}

/** Makes the units of work. Of many requests of which each is one, they are a view: to look at them again takes less than to store them. */
async function tellUnits(
  database: Database,
  workloads: readonly RunWorkload[],
  { manyRequests }: LoadSize,
): Promise<void> {
  const anyOps = workloads.flatMap(({ name, operation }) => (operation === undefined ? [name] : []));
  const [found] = manyRequests ? await database.all(areSingleUnits(anyOps), z.object({ single: z.boolean() })) : [];
  const areSingle = found?.single ?? false;
  await database.run(makeBegunUnits(anyOps, areSingle));
  await database.run(makeUnits(areSingle));
}

async function peculiaritiesOf(database: Database): Promise<Omit<Peculiarities, "lateness">> {
  const [found] = await database.all(
    `SELECT list(DISTINCT leave) FILTER (leave IS NOT NULL) AS leave, coalesce(bool_or(outcome = 'cancelled_by_us'), FALSE) AS "cutOff",
      (SELECT count(*) FROM counted_gaps) > 0 AS "countedGaps" FROM requests`,
    z.object({ leave: z.array(z.string()).nullable(), cutOff: z.boolean(), countedGaps: z.boolean() }),
  );
  const leave = found?.leave ?? [];
  return {
    leave,
    readsFirstToken: leave.filter(readsFirstToken),
    cutOff: found?.cutOff ?? false,
    countedGaps: found?.countedGaps ?? false,
  };
}

const seedOf = ({ settings, seed }: RecordHeader): number => settings.seed ?? seed ?? 0;

/** The arrivals that a line tells of, each with the workload and the model that its number chose. */
async function tellArrivals(
  database: Database,
  shards: readonly ReadShard[],
  steadyFrom: number | undefined,
): Promise<void> {
  await database.run(
    "CREATE TABLE chosen (shard DOUBLE, arrival DOUBLE, workload VARCHAR, part VARCHAR, model VARCHAR)",
  );
  for (const [index, { header }] of shards.entries()) {
    const workloads = header && workloadsOf(header.settings);
    const models = header && modelsOf(header.settings);
    if (header === undefined || (workloads === undefined && models === undefined)) continue;
    const seed = seedOf(header);
    const rows = database.batches(
      `SELECT arrival FROM arrivals WHERE shard = ${index + 1}`,
      z.object({ arrival: z.number() }),
    );
    for await (const batch of rows) {
      await database.append(
        "chosen",
        batch.map(({ arrival }) => {
          const workload = workloadOfNumber(workloads, seed, arrival);
          const model = models?.ofNumber(workload, seed, arrival);
          return [index + 1, arrival, workload?.name ?? null, workload?.operation ?? null, model ?? null];
        }),
      );
    }
  }
  const isEarly =
    steadyFrom === undefined ? "FALSE" : `a.phase = 'measure' AND a.scheduled_us < ${Math.round(steadyFrom * 1_000)}`;
  await database.run(
    `CREATE TABLE told_arrivals AS SELECT a.shard, a.arrival, a.line, CASE WHEN ${isEarly} THEN 'warmup' ELSE a.phase END AS phase, a.scheduled_us, a."end", a.detail, c.workload, c.part, c.model FROM arrivals AS a LEFT JOIN chosen AS c ON c.shard = a.shard AND c.arrival = a.arrival`,
  );
}

/** Times are rounded to milliseconds, in seconds; a little more, so that no sum of floating-point numbers decides. */
const ROUNDED_S = 0.0011;

/**
 * Requires that a line of a load generator's health follows on the one before: a file that was written twice does not. Two lines
 * may have the same time: after a process did not run for a while, its timer is due twice at once.
 */
function nextLine(line: ClientLine, before: ClientLine | undefined): ClientLine {
  if (before?.final === true) throw new LineError("it comes after the final line");
  if (before !== undefined && JSON.stringify(line) === JSON.stringify(before)) {
    throw new LineError("it repeats the line before");
  }
  if (before !== undefined && line.t < before.t - ROUNDED_S) {
    throw new LineError(`t is ${line.t}, after ${before.t} in the line before`);
  }
  return line;
}

/** A run takes less time than this. */
const YEARS = 1;

/** Requires an instant of about the time of the run, by its year: a clock that steps by hours is none of its business. */
function requireTimeOf(header: RecordHeader | undefined, name: string, instant: string): void {
  const problem = notOfTime(header, instant);
  if (problem !== undefined) throw new LineError(`${name}: ${problem}`);
}

function notOfTime(header: RecordHeader | undefined, instant: string | undefined): string | undefined {
  const apart = Math.abs(yearOf(instant ?? "") - yearOf(header?.startedAt ?? ""));
  return apart > YEARS ? `${instant} is not within the run, which started at ${header?.startedAt}` : undefined;
}

/** NaN for another text, which is compared with nothing. */
const yearOf = (instant: string): number => Number(instant.slice(0, 4) || Number.NaN);

function reportDamage(name: string, damage: Damage, read: Said): void {
  read.damage.push(...damage.problems);
  const more = damage.count - damage.problems.length;
  if (more > 0) read.damage.push(`${name}: ${more} more such lines`);
  if (damage.cutOff)
    read.notes.push(`the last line of ${name} was cut off, as happens when the load generator is killed`);
}

/** True when the final line was written: the load generator was not killed. */
const isFinal = (lines: readonly ClientLine[]): boolean => lines.at(-1)?.final === true;

/** True when the load generator ended by itself: it was neither killed nor stopped before its time. */
export const cameToItsEnd = (lines: readonly ClientLine[]): boolean =>
  isFinal(lines) && lines.at(-1)?.stopped === undefined;

/** The final line states how many records were written, and what prevented more. */
function missingRecords(clients: Read["clients"], requests: Requests): string[] {
  const last = clients.flatMap((lines) => lines.at(-1) ?? []);
  const errors = last.flatMap(({ error }) =>
    error === undefined ? [] : [`it could not be written completely: ${error}`],
  );
  if (!clients.every(isFinal) || last.some(({ records }) => records === undefined)) return errors;
  const written = last.reduce((sum, { records }) => sum + (records ?? 0), 0);
  if (written === requests.length) return errors;
  return [...errors, `${written} records were written, but ${requests.length} could be read`];
}

/** A histogram is written less often than records, so a killed load generator leaves records without their gaps. */
async function missingGaps(requests: Requests): Promise<string | undefined> {
  const { pool, listed, counted: expected } = await requests.gaps();
  const counted = pool.count - listed;
  if (counted === expected) return undefined;
  return `the histogram of gaps holds ${counted} of the ${expected} gaps that the records count`;
}

function twice(headers: readonly RecordHeader[]): string[] {
  const names = headers.map(({ segment, startedAt, seed }) =>
    JSON.stringify([segment ?? null, startedAt, seed ?? null]),
  );
  if (new Set(names).size < names.length) return ["the same shard was given twice"];
  const segments = headers.map(({ segment }) => segment ?? WHOLE);
  if (segments.every((segment) => segment === WHOLE) || !overlap(segments)) return [];
  return [`these are not shards of one load: the segments ${segments.map(segmentName).join(", ")} overlap`];
}

/** What all shards of a load have in common, in addition to the settings of the load: by its name, and as their headers say it. */
const COMMON: readonly (readonly [string, (header: RecordHeader) => string | undefined])[] = [
  ["runs of a cluster", ({ run }) => run],
  ["versions of k6", ({ k6 }) => k6],
  // Each has its arrivals by their number: those of 1/2 are not those of 1/4 and 2/4.
  ["numbers of parts (--segment)", ({ settings }) => settings.segment?.split("/")[1] ?? "1"],
  ["values of --insecure", ({ settings }) => String(settings.insecure ?? false)],
];

/** Why segments are not parts of one load at one time. */
function notOneLoad(shards: Read["shards"]): string[] {
  const parts = shards.flatMap(({ header, client }) => (header === undefined ? [] : [{ header, client }]));
  if (parts.length < 2 || parts.some(({ header }) => (header.segment ?? WHOLE) === WHOLE)) return [];
  const mixed = COMMON.flatMap(([what, of]) => {
    const values = [...new Set(parts.flatMap(({ header }) => of(header) ?? []))];
    return values.length < 2
      ? []
      : [`these are not shards of one load: they have different ${what} (${values.join(", ")})`];
  });
  const [start, end] = [Math.max(...parts.map(startOf)), Math.min(...parts.map(endOf))];
  if (start <= end) return mixed;
  const times = `one ended at ${formatInstant(end)}, before another started at ${formatInstant(start)}`;
  return [...mixed, `these are not shards of one load: ${times}`];
}

type KnownShard = { readonly header: RecordHeader; readonly client: readonly ClientLine[] };
const startOf = ({ header }: KnownShard): number => readInstant(header.startedAt);
/** A shard that was killed was to go on until its planned end. */
const endOf = ({ header, client }: KnownShard): number => {
  const { warmup = 0, duration = 0 } = header.settings;
  return readInstant(header.startedAt) + Math.max((client.at(-1)?.t ?? 0) * 1_000, warmup + duration);
};

/** Shards that started further apart are not one load at one time. */
const IN_STEP_MS = 1_000;

/** Instants at which the schedules started, as far as they are known. */
export const startsOf = (clients: readonly (readonly ClientLine[])[]): number[] =>
  clients
    .map((lines) => readInstant(lines.at(-1)?.schedule_started_at ?? ""))
    .filter((instant) => !Number.isNaN(instant));

function outOfStep(clients: Read["clients"]): string[] {
  const starts = startsOf(clients);
  const apart = starts.length < 2 ? 0 : Math.max(...starts) - Math.min(...starts);
  if (apart <= IN_STEP_MS) return [];
  return [
    `the shards started up to ${(apart / 1_000).toFixed(1)} s apart, and rates are over the time of all of them; start them with the same --start-at`,
  ];
}
