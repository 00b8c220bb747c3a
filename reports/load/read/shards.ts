/** Reading the files of a run, or of its shards: requests and video tasks are gathered, damage is reported. */

import { type ClientLine, clientLine } from "../../../formats/client.ts";
import {
  type ArrivalLine,
  arrivalLine,
  type CountedGaps,
  gapsLine,
  kindOfLine,
  type RecordHeader,
  type RequestRecord,
  recordHeader,
  requestRecord,
} from "../../../formats/records.ts";
import type { Stop } from "../../../formats/stop.ts";
import { formatInstant, readInstant } from "../../../settings/instants.ts";
import { type Damage, LineError, type Lines, readLines } from "../../json-lines.ts";
import { PageStore } from "../stats/page-store.ts";
import { ClockError } from "./clock-error.ts";
import { EarlyArrivals } from "./early-arrivals.ts";
import { FailedRequests } from "./failed-requests.ts";
import { IdSet } from "./id-set.ts";
import { NotableRequests } from "./notable-requests.ts";
import { Requests, timesOf } from "./request-columns.ts";
import { RequestSeries } from "./request-series.ts";
import {
  modelsOf,
  type RunModels,
  type RunWorkload,
  workloadOfNumber,
  workloadOfRecord,
  workloadsOf,
} from "./run-workloads.ts";
import { overlap, segmentName, WHOLE } from "./segments.ts";
import { SilentMoments } from "./silent-moments.ts";
import { TaskHistories } from "./task-histories.ts";
import { type BoundCheck, Units } from "./work-units.ts";

/** The two files of one load generator, line by line. */
export interface Shard {
  readonly records: Lines;
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
  readonly store: PageStore;
  readonly requests: Requests;
  /** Without what its video tasks say of each. */
  readonly units: Units;
  readonly video: TaskHistories;
  readonly failed: FailedRequests;
  readonly notable: NotableRequests;
  /** Without what its video tasks say of each. */
  readonly series: RequestSeries;
  readonly silences: SilentMoments;
  /** Of the shards whose first line could be read. */
  readonly headers: RecordHeader[];
  /** One per shard. */
  readonly clients: ClientLine[][];
  readonly shards: { readonly header: RecordHeader | undefined; readonly client: readonly ClientLine[] }[];
  /** The first reason for which Assay ended one of the shards before its time. */
  readonly stop: Stop | undefined;
  readonly damage: string[];
  readonly notes: string[];
}

/** Compares a request with the bounds that hold for each. */
type Check = (record: RequestRecord, clock: ClockError) => BoundCheck;

/** Is told of the lines of the records in their order, for what is not gathered otherwise: when each gap occurred. */
export interface RecordFollower {
  header(header: RecordHeader): void;
  request(record: RequestRecord): void;
  gaps(gaps: CountedGaps): void;
}

/**
 * Reads all shards of a run.
 * @param store where what is kept of each record goes
 * @param steadyFrom what was due before this instant, in milliseconds since 1970, is of the warm-up
 */
export async function readShards(
  shards: readonly Shard[],
  check: Check,
  {
    follow,
    store = new PageStore(),
    steadyFrom,
  }: {
    readonly follow?: RecordFollower | undefined;
    readonly store?: PageStore;
    readonly steadyFrom?: number | undefined;
  } = {},
): Promise<Read> {
  const video = new TaskHistories(store);
  const read: Read = {
    store,
    requests: new Requests(store),
    units: new Units(store),
    video,
    failed: new FailedRequests((task) => video.hasEnded(task)),
    notable: new NotableRequests(),
    series: new RequestSeries(),
    silences: new SilentMoments(),
    headers: [],
    clients: [],
    shards: [],
    stop: shards.flatMap(({ stop }) => stop ?? []).sort((a, b) => a.t - b.t)[0],
    damage: [],
    notes: [],
  };
  for (const [index, shard] of shards.entries()) {
    const of = shards.length > 1 ? ` of shard ${index + 1}` : "";
    const all: ClientLine[] = [];
    const name = `client.jsonl${of}`;
    const take = (value: unknown) => {
      // The records say which arrivals ended, and their numbers would take the more memory the longer the run.
      const { ended: _, ...line } = clientLine.parse(value);
      all.push(nextLine(line, all.at(-1)));
    };
    const damage = await readLines(name, shard.client, take);
    // How exact the times of a request are is known before it is read.
    const clock = new ClockError(all);
    read.requests.setClock(index, clock);
    const moved = new EarlyArrivals(steadyFrom);
    const header = await readRecords(`records.jsonl${of}`, shard.records, check, read, { index, clock, moved }, follow);
    const lines = all
      .filter(({ schedule_started_at: start }) => notOfTime(header, start) === undefined)
      .map((line) => moved.without(line));
    for (const { schedule_started_at: start } of all) {
      const problem = notOfTime(header, start);
      if (problem !== undefined && damage.count === 0) damage.problems.push(`${name}: schedule_started_at: ${problem}`);
      if (problem !== undefined) damage.count += 1;
    }
    reportDamage(name, damage, read);
    if (lines.at(-1)?.final !== true) read.notes.push(`${name} has no final line: the load generator was killed`);
    read.clients.push(lines);
    read.shards.push({ header, client: lines });
  }
  read.damage.push(...missingRecords(read), ...twice(read.headers), ...notOneLoad(read.shards));
  const missing = missingGaps(read.requests);
  if (missing !== undefined) (read.clients.every(isFinal) ? read.damage : read.notes).push(missing);
  read.notes.push(...outOfStep(read.clients));
  return read;
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

const seedOf = ({ settings, seed }: RecordHeader): number => settings.seed ?? seed ?? 0;

/** How the records of a shard are read. */
interface ReadShard {
  readonly index: number;
  readonly clock: ClockError;
  readonly moved: EarlyArrivals;
}

async function readRecords(
  name: string,
  lines: Lines,
  check: Check,
  read: Read,
  shard: ReadShard,
  follow: RecordFollower | undefined,
): Promise<RecordHeader | undefined> {
  const records = new ShardRecords(read, check, shard, follow);
  const damage = await readLines(name, lines, records.take);
  records.end();
  reportDamage(name, damage, read);
  if (records.header === undefined && damage.count === 0) read.damage.push(`${name} is empty`);
  return records.header;
}

/** Takes the lines of the records of one shard, the header first, into what is read of the run. */
class ShardRecords {
  header: RecordHeader | undefined;
  readonly #read: Read;
  readonly #check: Check;
  readonly #shard: number;
  readonly #clock: ClockError;
  readonly #moved: EarlyArrivals;
  readonly #follow: RecordFollower | undefined;
  readonly #ids: IdSet;
  #workloads: readonly RunWorkload[] | undefined;
  #models: RunModels | undefined;
  #scenarios: ReadonlySet<string | undefined> = new Set();

  constructor(read: Read, check: Check, { index, clock, moved }: ReadShard, follow: RecordFollower | undefined) {
    this.#read = read;
    this.#check = check;
    this.#shard = index;
    this.#clock = clock;
    this.#moved = moved;
    this.#follow = follow;
    this.#ids = new IdSet(read.store);
  }

  readonly take = (value: unknown): void => {
    const { header } = this;
    const kind = kindOfLine(value);
    if (header === undefined) this.#begin(recordHeader.parse(value));
    else if (kind === "gaps") this.#addGaps(gapsLine.parse(value).gaps);
    else if (kind === "arrival") this.#addArrival(arrivalLine.parse(value).arrival, header);
    else this.#addRequest(withCountedTokens(requestRecord.parse(value)), header);
  };

  /** No further lines follow. */
  end(): void {
    this.#ids.release();
    this.#read.units.closeShard(this.#shard);
  }

  #begin(header: RecordHeader): void {
    this.header = header;
    this.#workloads = workloadsOf(header.settings);
    this.#models = modelsOf(header.settings);
    const own = this.#workloads?.flatMap(({ name, operation }) => (operation === undefined ? [name] : []));
    this.#scenarios = new Set(own);
    this.#read.headers.push(header);
    this.#clock.startAt(readInstant(header.startedAt));
    this.#read.series.startAt(readInstant(header.startedAt));
    this.#follow?.header(header);
  }

  #addGaps(gaps: CountedGaps): void {
    this.#read.requests.addCounted(gaps, this.#shard);
    this.#read.series.addCounted(gaps);
    this.#follow?.gaps(gaps);
  }

  /** @param arrival one that sent no request */
  #addArrival(line: ArrivalLine, header: RecordHeader): void {
    const { units, failed } = this.#read;
    requireTimeOf(header, "scheduled", line.scheduled);
    const arrival = this.#moved.arrival(line);
    if (units.isTold(arrival.index, this.#shard)) {
      throw new LineError(`arrival ${arrival.index} has such a line already`);
    }
    failed.addArrival(arrival);
    const seed = seedOf(header);
    const workload = workloadOfNumber(this.#workloads, seed, arrival.index);
    units.addArrival(arrival, workload, this.#shard, this.#models?.ofNumber(workload, seed, arrival.index));
  }

  #addRequest(line: RequestRecord, header: RecordHeader): void {
    requireTimeOf(header, "scheduled", line.scheduled);
    requireTimeOf(header, "sent", line.sent);
    const record = this.#moved.request(line);
    if (!this.#ids.add(record.id))
      throw new LineError(`the id ${JSON.stringify(record.id)} is that of an earlier line`);
    const { units, requests, series, silences, failed, notable, video } = this.#read;
    const workload = workloadOfRecord(this.#workloads, record);
    const own = this.#models && record.model;
    const times = timesOf(record);
    const sendsAny = this.#scenarios.has(workload);
    const bounds = this.#check(record, this.#clock);
    const unit = units.add(record, times, bounds, this.#shard, { workload, model: own, sendsAny });
    // All requests of an arrival are of its model, although some do not name it.
    const model = unit < 0 ? own : units.modelOf(unit);
    requests.add(record, times, this.#shard, workload, model);
    series.add(record, times, { workload, model });
    silences.add(record, times.sent);
    this.#follow?.request(record);
    failed.add(record);
    notable.add(record);
    video.add(record, unit);
  }
}

/** A usage without output tokens, of a response with content, is wrong: its tokens are counted by chunks. */
function withCountedTokens(record: RequestRecord): RequestRecord {
  const { token_source, output_tokens, chunks = 0 } = record;
  if (token_source !== "usage" || output_tokens !== 0 || chunks === 0) return record;
  return { ...record, output_tokens: chunks, token_source: "chunks" };
}

function reportDamage(name: string, damage: Damage, read: Read): void {
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
function missingRecords({ clients, requests }: Read): string[] {
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
function missingGaps(requests: Requests): string | undefined {
  const { pool, listed, counted: expected } = requests.gaps();
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

function outOfStep(clients: readonly ClientLine[][]): string[] {
  const starts = startsOf(clients);
  const apart = starts.length < 2 ? 0 : Math.max(...starts) - Math.min(...starts);
  if (apart <= IN_STEP_MS) return [];
  return [
    `the shards started up to ${(apart / 1_000).toFixed(1)} s apart, and rates are over the time of all of them; start them with the same --start-at`,
  ];
}
