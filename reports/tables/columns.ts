/** The types of the columns of tables: how each is read from a line of JSON, and what it is in the table. Pure. */

import { literal, quoted } from "../../lib/duckdb.mjs";

/** What a member of a line is. Times are whole microseconds in a table, so that sums of them are exact. */
export type Kind = keyof typeof KINDS;

interface KindOfColumn {
  /** The type that a member is read as. */
  readonly read: string;
  readonly type: string;
  readonly unit?: string;
  /** Added to the name of the member. */
  readonly suffix?: string;
  /** The value of the column, from that of the member; absent: the same. */
  readonly value?: (member: string) => string;
}

/** What the SQL of a column leaves open until a folder is read. */
export const SHARD_NUMBER = "$SHARD";
/** A conversion: `CAST` fails where a value does not fit, `TRY_CAST` leaves it out. */
export const CONVERT = "$CONVERT";

const us = (ms: string): string => `${CONVERT}(round(${ms} * 1000) AS BIGINT)`;
/** A number that is whole; any other fits nothing. */
const whole = (isWhole: string, value: string): string =>
  `CASE WHEN ${isWhole} THEN ${CONVERT}(${value} AS BIGINT) WHEN ${value} IS NOT NULL THEN ${CONVERT}('not whole' AS BIGINT) END`;

export const KINDS = {
  text: { read: "VARCHAR", type: "VARCHAR" },
  flag: { read: "BOOLEAN", type: "BOOLEAN" },
  whole: { read: "DOUBLE", type: "BIGINT", value: (member) => whole(`${member} = trunc(${member})`, member) },
  number: { read: "DOUBLE", type: "DOUBLE" },
  texts: { read: "VARCHAR[]", type: "VARCHAR[]" },
  wholes: { read: "BIGINT[]", type: "BIGINT[]" },
  numbers: { read: "DOUBLE[]", type: "DOUBLE[]" },
  json: { read: "JSON", type: "JSON" },
  instant: {
    read: "TIMESTAMP",
    type: "BIGINT",
    unit: "µs since 1970, UTC",
    suffix: "_us",
    value: (member) => `epoch_us(${member})`,
  },
  milliseconds: { read: "DOUBLE", type: "BIGINT", unit: "µs", suffix: "_us", value: us },
  /** An object in the lines of another kind that the same file holds. */
  wholeOrOther: {
    read: "JSON",
    type: "BIGINT",
    value: (member) =>
      `CASE WHEN json_type(${member}) <> 'OBJECT' THEN ${whole(`json_type(${member}) IN ('UBIGINT', 'BIGINT')`, member)} END`,
  },
  /** How often, or only whether. */
  times: {
    read: "JSON",
    type: "BIGINT",
    value: (member) => `coalesce(TRY_CAST(${member} AS BIGINT), CAST(TRY_CAST(${member} AS BOOLEAN) AS BIGINT))`,
  },
} as const satisfies Readonly<Record<string, KindOfColumn>>;

/** A column, as users see it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly unit?: string;
  readonly meaning: string;
}

/** A column with its SQL. */
export interface ReadColumn extends Column {
  readonly value: string;
}

/** A column that no member of a line is. */
export const own = (name: string, type: string, meaning: string, value: string, unit?: string): ReadColumn => ({
  name,
  type,
  ...(unit !== undefined && { unit }),
  meaning,
  value,
});

/** Texts as a list in SQL, for `IN`. */
export const listOf = (texts: readonly string[]): string => `(${texts.map(literal).join(", ")})`;

/** A schema of an object, by whose descriptions columns are explained. */
interface Described {
  readonly shape: Readonly<Record<string, { readonly description?: string | undefined }>>;
}

/**
 * The columns that the members of a line become: of each its kind.
 * @param read the SQL of a member, of the type that it is read as; absent: it is a column of what is read
 */
export const columnsOf = (
  schema: Described,
  kinds: Readonly<Record<string, Kind>>,
  read: (member: string, type: string) => string = quoted,
): ReadColumn[] =>
  Object.entries(kinds).map(([member, kind]) => {
    const { type, unit, value = (sql: string) => sql, ...of }: KindOfColumn = KINDS[kind];
    return {
      name: columnName(member, kind),
      type,
      ...(unit !== undefined && { unit }),
      meaning: schema.shape[member]?.description ?? "",
      value: value(read(member, of.read)),
    };
  });

/** The name of the column that a member becomes. */
export const columnName = (member: string, kind: Kind): string => {
  const { suffix = "" }: KindOfColumn = KINDS[kind];
  return member.endsWith(suffix) ? member : `${member}${suffix}`;
};

/** The types that the members of a line are read as. */
export const typesToRead = (kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(kinds).map(([member, kind]) => [member, KINDS[kind].read]));
