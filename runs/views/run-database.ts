/**
 * Loads as tables in DuckDB, an embedded database. A result folder is data of anybody: its files are read first, and a query
 * reaches nothing but the tables.
 */

import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBResult,
  DuckDBVector,
  JS,
} from "@duckdb/node-api";
import { z } from "zod";
import { notify } from "../../cli/console.mjs";
import { foldersIn } from "../../cli/trust.ts";
import { FILES } from "../../formats/file-names.ts";
import { literal, NO_EXTENSIONS, withoutPattern } from "../../lib/duckdb.mjs";
import { endSentence } from "../../lib/text.ts";
import { whyNoFile } from "../../lib/text-file.ts";
import { codeOf } from "../../lib/thrown.ts";
import { evaluateObjective, type OneObjective } from "../../reports/load/evaluate-objectives.ts";
import type { Cell, Database, LineSource } from "../../reports/tables/database.ts";
import type { QueryResult } from "../../reports/tables/query-result.ts";
import {
  areRecordsFit,
  emptyTables,
  type Filled,
  fillTables,
  makeTables,
  makeViews,
  type Reading,
} from "../../reports/tables/run-tables.ts";
import { ALL_MEMBERS, hasMore, makeRequests, membersIn, storeMore } from "../../reports/tables/stored-requests.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** Memory for tables; more of them goes to a scratch folder in the first result folder, or where it has no room, in that for temporary files. */
const MEMORY_MB = 250;
const THREADS = String(Math.min(4, availableParallelism()));

/** The scratch folder of a process; another one is left by a process that was killed. */
const SCRATCH = /^\.tables-(\d+)-[\da-f-]+$/;

const CONFIG = {
  memory_limit: `${MEMORY_MB}MB`,
  ...NO_EXTENSIONS,
};

/** The file of the tables. It is removed at the end, so changes need no log: that of many small folders takes as long as reading them. */
const ON_DISK = "on_disk";

/** It is CommonJS, which `import` looks through for its exports first: that takes longer than to load it. */
function library(): typeof import("@duckdb/node-api") {
  try {
    return createRequire(import.meta.url)("@duckdb/node-api");
  } catch (error) {
    throw new UsageError(
      `Cannot make tables of the results: the package @duckdb/node-api, or its part for this system, cannot be loaded: ${endSentence(firstLine(error))} Install Assay again with its optional dependencies (npm install --include=optional); assay report DIR then makes the reports. The records are unchanged.`,
    );
  }
}

/** What the database says of a line that is no JSON, or whose values are of other types. */
const UNFIT = /^(?:Invalid Input|Conversion) Error/;
/** What it says of a query, and not of a file that cannot be written. */
const OF_QUERY = /^(?!IO |Permission )[A-Z][\w ]* Error: /;

const WRITTEN_AT_ONCE = 1 << 20;

/** Records of more bytes than this are kept on disk, where tables are compressed; to share out less work to threads costs more than it saves. */
const IN_MEMORY_BYTES = 32 << 20;

/** The number of requests from which views are made: planning one takes 10 ms in each of a hundred queries, storing its columns 6 µs per request. */
const VIEWS_FROM = 200_000;

interface Storage {
  readonly onDisk: boolean;
  readonly threads: string;
  /** See `Database`. */
  readonly viewsFrom: number;
}

type PathOf = (file: string) => string | undefined;

/** Tables of one load, or of several. */
export class RunDatabase implements Database {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #scratch: string;
  readonly #threads: string;
  readonly #onDisk: boolean;
  readonly viewsFrom: number;
  /** The members of requests that are stored; none before the first records. */
  #members: ReadonlySet<string> = new Set();
  /** What a file is named until it is whole: nobody else has such a file. */
  readonly #unfinished = `.${randomUUID()}.tmp`;

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    { scratch, threads, viewsFrom, onDisk }: Storage & { readonly scratch: string },
  ) {
    this.#instance = instance;
    this.#connection = connection;
    this.#scratch = scratch;
    this.#threads = threads;
    this.#onDisk = onDisk;
    this.viewsFrom = viewsFrom;
  }

  /**
   * Reads the records in these folders.
   * @throws UsageError when a file cannot be read, or the database is not installed
   */
  static async of(folders: readonly string[]): Promise<RunDatabase> {
    const database = await RunDatabase.#at(folders);
    try {
      await database.run(makeTables());
      for (const [index, folder] of folders.entries()) await database.#fill(folder, index + 1);
      await database.run(makeViews());
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /**
   * Empty tables for the records in these folders.
   * @param storage how they are kept, and by how many threads; absent: by the size of the records
   * @throws UsageError when the database is not installed
   */
  static async empty(folders: readonly string[], storage?: Partial<Storage>): Promise<RunDatabase> {
    const database = await RunDatabase.#at(folders, storage);
    await database.run(makeTables(FILES.records));
    return database;
  }

  static async #at(folders: readonly string[], storage: Partial<Storage> = {}): Promise<RunDatabase> {
    const [first = "."] = folders;
    const { DuckDBInstance } = library();
    const bytes = folders.reduce((sum, folder) => sum + sizeOf(join(folder, FILES.records)), 0);
    const home = hasRoom(first, bytes) ? resolve(first) : tmpdir();
    removeLeft(home);
    const scratch = join(home, `.tables-${process.pid}-${randomUUID()}`);
    const isLarge = bytes > IN_MEMORY_BYTES;
    const { onDisk = isLarge, threads = isLarge ? THREADS : "1", viewsFrom = VIEWS_FROM } = storage;
    const instance = await DuckDBInstance.create(":memory:", { ...CONFIG, threads, temp_directory: scratch });
    const connection = await instance.connect();
    if (onDisk) {
      mkdirSync(scratch);
      await connection.run(`ATTACH ${literal(join(scratch, "tables"))} AS ${ON_DISK} (RECOVERY_MODE 'no_wal_writes')`);
    }
    const database = new RunDatabase(instance, connection, { scratch, threads, viewsFrom, onDisk });
    await database.#use(connection);
    return database;
  }

  /** Has a connection find the tables. */
  async #use(connection: DuckDBConnection): Promise<void> {
    if (this.#onDisk) await connection.run(`USE ${ON_DISK}`);
  }

  async run(sql: string, path?: string): Promise<void> {
    try {
      await this.#connection.run(sql, path === undefined ? undefined : [withoutPattern(path)]);
    } catch (error) {
      throw path === undefined ? error : notRead(path, error);
    }
  }

  async all<T>(sql: string, row: z.ZodType<T>): Promise<readonly T[]> {
    const rows = await (await this.#connection.run(sql)).getRowObjectsJS();
    return rows.map((each) => row.parse(withNumbers(each)));
  }

  async *batches<T>(sql: string, row: z.ZodType<T>): AsyncGenerator<readonly T[]> {
    const result = await this.#connection.stream(sql);
    for await (const rows of result.yieldRowObjectJs()) yield rows.map((each) => row.parse(withNumbers(each)));
  }

  async eachNumbers(sql: string, take: (row: Float64Array) => void): Promise<void> {
    const result = await this.#connection.stream(sql);
    const row = new Float64Array(result.columnCount);
    for await (const { chunk, rows } of chunksOf(result)) {
      const columns = Array.from(row, (_, at) => chunk.getColumnVector(at));
      for (let index = 0; index < rows; index += 1) {
        readNumbers(columns, index, row);
        take(row);
      }
    }
  }

  async eachList(
    sql: string,
    take: (row: Float64Array, list: Float64Array) => void,
    afterSome?: () => Promise<void>,
  ): Promise<void> {
    const { DuckDBListVector } = library();
    const result = await this.#connection.stream(sql);
    const row = new Float64Array(result.columnCount - 1);
    let room = new Float64Array(0);
    for await (const { chunk, rows } of chunksOf(result)) {
      const columns = Array.from(row, (_, at) => chunk.getColumnVector(at));
      const lists = chunk.getColumnVector(row.length);
      if (!(lists instanceof DuckDBListVector)) throw new Error(`Expected lists in the last column of: ${sql}`);
      const { childVector: values } = lists;
      for (let index = 0; index < rows; index += 1) {
        const [from, length] = [lists.getEntryOffset(index), lists.getEntryLength(index)];
        if (room.length < length) room = new Float64Array(2 * length);
        for (let at = 0; at < length; at += 1) room[at] = numberIn(values, from + at);
        readNumbers(columns, index, row);
        take(row, room.subarray(0, length));
      }
      await afterSome?.();
    }
  }

  async append(table: string, rows: Iterable<readonly (string | number | boolean | null)[]>): Promise<void> {
    // A connection of its own: a result may still be read from the other.
    const connection = await this.#instance.connect();
    await this.#use(connection);
    const appender = await connection.createAppender(table);
    for (const row of rows) {
      for (const value of row) {
        if (value === null) appender.appendNull();
        else if (typeof value === "string") appender.appendVarchar(value);
        else if (typeof value === "number") appender.appendDouble(value);
        else appender.appendBoolean(value);
      }
      appender.endRow();
    }
    appender.closeSync();
    connection.closeSync();
  }

  async addRecords(shard: number, source: string | LineSource): Promise<boolean> {
    const path = typeof source === "string" ? source : await this.#written(source);
    try {
      await this.#add(shard, "strict", () => path, FILES.records);
    } catch (error) {
      if (UNFIT.test(reasonOf(error))) return false;
      throw notRead(path, error);
    }
    // What is committed is looked through in an eighth of the time.
    const isFit = typeof source !== "string" || (await this.#areRecordsFit(shard));
    if (!isFit) await this.run(emptyTables(shard, FILES.records));
    return isFit;
  }

  /**
   * Adds the files of a shard, or nothing.
   * @param pathOf the path of a file; undefined: there is none
   * @param only the file to read alone; absent: all
   */
  async #add(shard: number, reading: Reading, pathOf: PathOf, only?: string): Promise<void> {
    const records = pathOf(FILES.records);
    await this.#store(membersIn(records === undefined ? "" : partsOf(records)));
    const insert = () => this.#inOrder(() => this.#insert({ shard, reading, members: this.#members }, pathOf, only));
    await insert();
    const [found] = await this.all(hasMore(shard), z.object({ more: z.boolean() }));
    if (found?.more !== true) return;
    await this.run(emptyTables(shard, only));
    await this.#store(ALL_MEMBERS);
    await insert();
  }

  async #insert(filled: Filled, pathOf: PathOf, only?: string): Promise<void> {
    for (const { file, sql } of fillTables(filled, only)) {
      const path = file === undefined ? undefined : pathOf(file);
      if (file === undefined) await this.#connection.run(sql);
      else if (path !== undefined) await this.#connection.run(sql, [withoutPattern(path)]);
    }
  }

  /** Stores these members of requests too. */
  async #store(members: ReadonlySet<string>): Promise<void> {
    const all = new Set([...this.#members, ...members]);
    if (this.#members.size === 0) await this.run(makeRequests(all));
    else if (all.size > this.#members.size) await this.run(storeMore(this.#members, all));
    this.#members = all;
  }

  /**
   * Adds lines in a transaction: all, or none where it fails. By one thread: they are numbered in their order, and others would be
   * busy with waiting for it.
   */
  async #inOrder(add: () => Promise<void>): Promise<void> {
    const isShared = this.#threads !== "1";
    if (isShared) await this.#connection.run("SET threads = 1");
    await this.#connection.run("BEGIN TRANSACTION");
    try {
      await add();
      await this.#connection.run("COMMIT");
    } catch (error) {
      // A failed COMMIT has ended the transaction.
      await this.#connection.run("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      if (isShared) await this.#connection.run(`SET threads = ${this.#threads}`);
    }
  }

  async #areRecordsFit(shard: number): Promise<boolean> {
    const [row] = await this.all(areRecordsFit(shard, this.#members), z.object({ fit: z.boolean() }));
    return row?.fit === true;
  }

  /** Writes lines into the scratch folder. */
  async #written(source: LineSource): Promise<string> {
    mkdirSync(this.#scratch, { recursive: true });
    const path = join(this.#scratch, `${randomUUID()}.jsonl`);
    const file = openSync(path, "wx", 0o600);
    let pending = "";
    const flush = (): void => {
      writeSync(file, pending);
      pending = "";
    };
    try {
      await source((line) => {
        pending += `${line}\n`;
        if (pending.length > WRITTEN_AT_ONCE) flush();
      });
      flush();
    } finally {
      closeSync(file);
    }
    return path;
  }

  /** Lines that do not fit are left out where a file has such: to look for them takes longer. */
  async #fill(folder: string, shard: number): Promise<void> {
    const pathOf = (file: string): string | undefined => {
      const path = join(folder, file);
      return isReadable(path) ? path : undefined;
    };
    try {
      await this.#add(shard, "strict", pathOf);
    } catch (error) {
      if (!UNFIT.test(reasonOf(error))) throw notRead(folder, error);
      notify(`Left out of ${folder} what cannot be read: assay report ${folder} names the lines.`);
      await this.#add(shard, "lenient", pathOf).catch((other: unknown) => {
        throw notRead(folder, other);
      });
    }
  }

  /**
   * Writes the result of a query as a Parquet file, completely or not at all.
   * @throws UsageError when the query is not one SELECT, or the file cannot be written
   */
  async writeParquet(sql: string, path: string): Promise<void> {
    await this.requireSelect(sql);
    const temporary = path + this.#unfinished;
    try {
      // A comment at the end of the query ends with its line.
      await this.#connection.run(`COPY (${sql}\n) TO ${literal(temporary)} (FORMAT parquet, COMPRESSION zstd)`);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      if (OF_QUERY.test(reasonOf(error))) throw notAnswered(error);
      throw new UsageError(
        `Cannot write ${path}: ${endSentence(firstLine(error))} Free space on its disk, or name another folder with --out.`,
      );
    }
  }

  /**
   * From now on, no file is read or written but the Parquet file of this path, nothing is installed or loaded, and no setting is
   * changed.
   */
  async lock(parquet?: string): Promise<void> {
    if (parquet !== undefined)
      await this.#connection.run(`SET allowed_paths = [${literal(parquet + this.#unfinished)}]`);
    await this.#connection.run("SET enable_external_access = false");
    await this.#connection.run("SET lock_configuration = true");
  }

  /**
   * The result of a query, part by part; the first part comes also where there is no row.
   * @throws UsageError when it is not one SELECT, or cannot be run
   */
  async *rows(sql: string): AsyncGenerator<QueryResult> {
    await this.requireSelect(sql);
    const { DuckDBTypeId: types } = library();
    const result = await this.#tried(() => this.#connection.stream(sql));
    const names = result.columnNames();
    const large: readonly number[] = [types.BIGINT, types.UBIGINT, types.HUGEINT, types.UHUGEINT, types.DECIMAL];
    const areNumbers = names.map((_, index) => large.includes(result.columnTypeId(index)));
    yield { names, rows: [] };
    const parts = result.yieldRowsJson();
    for (;;) {
      const { value, done } = await this.#tried(() => parts.next());
      if (done === true) return;
      yield { names, rows: value.map((row) => row.map((cell, index) => (areNumbers[index] ? numberOf(cell) : cell))) };
    }
  }

  /** @throws UsageError unless this is one query that only reads */
  async requireSelect(sql: string): Promise<void> {
    const { StatementType } = library();
    const { count } = await this.#tried(() => this.#connection.extractStatements(sql));
    if (count !== 1) throw new UsageError(`Cannot run the query: it has ${count} statements. Give one SELECT.`);
    const prepared = await this.#tried(() => this.#connection.prepare(sql));
    const { statementType } = prepared;
    prepared.destroySync();
    if (statementType === StatementType.SELECT || statementType === StatementType.EXPLAIN) return;
    throw new UsageError("Cannot run the query: it is no SELECT. The tables of a run are read, not changed.");
  }

  async #tried<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw notAnswered(error);
    }
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

/** The chunks of a result that is streamed; the library counts the rows of one each time that it is asked. */
async function* chunksOf(
  result: DuckDBResult,
): AsyncGenerator<{ readonly chunk: DuckDBDataChunk; readonly rows: number }> {
  for (;;) {
    const chunk = await result.fetchChunk();
    const rows = chunk?.rowCount ?? 0;
    if (chunk === null || rows === 0) return;
    yield { chunk, rows };
  }
}

/** NaN for NULL. */
function numberIn(column: DuckDBVector | undefined, index: number): number {
  const value = column?.getItem(index);
  return typeof value === "number" ? value : Number.NaN;
}

function readNumbers(columns: readonly DuckDBVector[], index: number, row: Float64Array): void {
  for (let at = 0; at < row.length; at += 1) row[at] = numberIn(columns[at], index);
}

const withNumbers = (row: Record<string, JS>): Record<string, Cell> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)]));

/** A value as reports take it: a whole number is a number. */
function cellOf(value: JS): Cell {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(cellOf);
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
    ? withNumbers(value as Record<string, JS>)
    : null;
}

/** Bytes of each part of a file that is looked into. */
const PART_BYTES = 1 << 18;

/** The begin, the middle and the end of a file, which may begin and end within a line. */
function partsOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const part = Buffer.alloc(PART_BYTES);
    const starts = new Set([0, size / 2, size - PART_BYTES].map((at) => Math.max(0, Math.floor(at))));
    return Array.from(starts, (at) => part.toString("latin1", 0, readSync(file, part, 0, PART_BYTES, at))).join("\n");
  } finally {
    closeSync(file);
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** A number that is given as a text; a whole number that is too large for one stays a text. */
function numberOf(cell: unknown): unknown {
  const number = typeof cell === "string" ? Number(cell) : Number.NaN;
  const isTooLarge = Number.isInteger(number) && !Number.isSafeInteger(number);
  return Number.isNaN(number) || isTooLarge ? cell : number;
}

const notRead = (folder: string, error: unknown): UsageError =>
  new UsageError(
    `Cannot read ${folder}: ${endSentence(firstLine(error))} Free space on its disk, where what is beyond ${MEMORY_MB} MB goes, or copy it to a larger one.`,
  );

const notAnswered = (error: unknown): UsageError =>
  new UsageError(
    `Cannot run the query: ${endSentence(reasonOf(error).trimEnd())}\nassay sql --tables lists the tables and their columns.`,
  );

const firstLine = (error: unknown): string => reasonOf(error).split("\n", 1)[0] ?? "";

/** Whether a file has lines. @throws UsageError when it is no file of text */
function isReadable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.size === 0) return false;
  const none = whyNoFile(stats);
  if (none !== undefined) throw new UsageError(`Cannot read ${path}: ${none}.`);
  return true;
}

/** Whether a copy of the records can be written next to them. */
function hasRoom(folder: string, bytes: number): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > bytes;
  } catch {
    return false;
  }
}

/** Removes what processes left in a folder that are no more. */
function removeLeft(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of foldersIn(folder)) {
    const process = SCRATCH.exec(name)?.[1];
    if (process !== undefined && !isRunning(Number(process))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Does something with an empty database for the records in these folders, and closes it. */
export async function withDatabase<T>(folders: readonly string[], use: (database: Database) => Promise<T>): Promise<T> {
  const database = await RunDatabase.empty(folders);
  try {
    return await use(database);
  } finally {
    database.close();
  }
}

/** Evaluates an objective of a load from its lines. */
export const evaluateLines = (load: OneObjective): ReturnType<typeof evaluateObjective> =>
  withDatabase([tmpdir()], (database) => evaluateObjective(load, database));
