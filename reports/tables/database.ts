/** What reports ask of the database that holds the tables of a load. Pure: who opens it gives it. */

import type { z } from "zod";

/** A value of a result: a list or a structure of such values where the column is one. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** Gives lines one after another. */
export type LineSource = (add: (line: string) => void) => Promise<void>;

/** A cell of a row, undefined where it is NULL. */
export const optionalCell = <T extends z.ZodType>(cell: T) => cell.nullable().transform((value) => value ?? undefined);

export interface Database {
  /** The number of requests from which computing columns in each query takes less than storing them. */
  readonly viewsFrom: number;
  /** Runs a statement that has no result. @param path of the file that it reads, its parameter; absent: it reads none */
  run(sql: string, path?: string): Promise<void>;
  /** The rows of a small result, checked. */
  all<T>(sql: string, row: z.ZodType<T>): Promise<readonly T[]>;
  /** The rows of a large result in order, some thousands at once, checked. */
  batches<T>(sql: string, row: z.ZodType<T>): AsyncGenerator<readonly T[]>;
  /** Calls `take` with each row of a result whose columns are all DOUBLE; NaN for NULL. A row is valid until the next one. */
  eachNumbers(sql: string, take: (row: Float64Array) => void): Promise<void>;
  /**
   * The same of a result whose last column is a DOUBLE[] without NULL: `take` gets it apart from the others.
   * @param afterSome called after some thousands of rows, again and again
   */
  eachList(
    sql: string,
    take: (row: Float64Array, list: Float64Array) => void,
    afterSome?: () => Promise<void>,
  ): Promise<void>;
  /** Adds rows to a table, whose columns are texts, flags or DOUBLE. */
  append(table: string, rows: Iterable<readonly (string | number | boolean | null)[]>): Promise<void>;
  /**
   * Adds the records of a shard, from 1, to the tables.
   * @param source the path of a file, or what gives the lines, which are known to fit
   * @returns false where a line does not fit: nothing is added
   */
  addRecords(shard: number, source: string | LineSource): Promise<boolean>;
}
