/**
 * The requests of a load in the database: which columns they have, and how they are stored. A column without values takes as long
 * to store as another, and most loads have values in half of them: others are added when the records have such. Pure.
 */

import { type RequestRecord, requestRecord } from "../../formats/records.ts";
import { quoted } from "../../lib/duckdb.mjs";
import { formatInstant } from "../../settings/instants.ts";
import { type Column, columnName, columnsOf, type Kind, own, type ReadColumn, SHARD_NUMBER } from "./columns.ts";

export const REQUEST = {
  id: "text",
  trace_id: "text",
  op: "text",
  phase: "text",
  arrival: "wholeOrOther",
  workload: "text",
  turn: "whole",
  turns: "whole",
  tags: "json",
  model: "text",
  scheduled: "instant",
  sent: "instant",
  outcome: "text",
  detail: "text",
  client_fault: "text",
  status: "whole",
  retry_after: "text",
  ttfb: "milliseconds",
  ttft: "milliseconds",
  ttft_any: "milliseconds",
  ttft_scheduled: "milliseconds",
  done: "milliseconds",
  e2e: "milliseconds",
  e2e_scheduled: "milliseconds",
  slot_wait: "milliseconds",
  lag: "milliseconds",
  items: "whole",
  dimensions: "number",
  completion: "text",
  task: "text",
  task_state: "text",
  progress: "number",
  cost: "number",
  cancel_reason: "text",
  cancel_at: "text",
  video_seconds: "whole",
  video_resolution: "text",
  leave: "text",
  format: "text",
  chunks: "whole",
  coalesced: "whole",
  gaps_us: "wholes",
  ttlt: "milliseconds",
  ttlt_any: "milliseconds",
  empties: "wholes",
  blanks: "wholes",
  usage_at: "milliseconds",
  gaps_over_us: "json",
  done_seen: "flag",
  finish_reason: "text",
  max_tokens: "number",
  input_digest: "whole",
  prefix_digest: "whole",
  requested_input_tokens: "whole",
  input_tokens: "number",
  output_tokens: "number",
  reasoning_tokens: "number",
  cached_tokens: "number",
  token_source: "text",
  bytes: "whole",
  reused: "flag",
  address: "text",
  lookup: "milliseconds",
  connect: "milliseconds",
  tls: "milliseconds",
  resent: "times",
  proto: "text",
  flags: "texts",
} as const satisfies Readonly<Record<keyof RequestRecord, Kind>>;

export const LINE = own("line", "BIGINT", "number of its line in records.jsonl, from 1", "line_number");
export const SHARD = own("shard", "BIGINT", "number of the result folder, from 1", SHARD_NUMBER);

/** A request as the line of the records that it was read from. @param row of `requests` */
export const lineOf = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries<Kind>(REQUEST).flatMap(([member, kind]) => {
      const value = row[columnName(member, kind)] ?? null;
      return value === null ? [] : [[member, memberOf(value, kind)]];
    }),
  );

/** The value of a member of a line, from that of its column. */
function memberOf(value: unknown, kind: Kind): unknown {
  if (kind === "json" && typeof value === "string") return JSON.parse(value);
  if (kind === "milliseconds" && typeof value === "number") return value / 1_000;
  if (kind === "instant" && typeof value === "number") return formatInstant(value / 1_000);
  return value;
}

/** Every column of a request, in order. */
export const REQUEST_COLUMNS: readonly ReadColumn[] = [SHARD, LINE, ...columnsOf(requestRecord, REQUEST)];

/** Where requests are stored, and in addition, as rows without an operation, the lines of the records that are no requests. */
export const STORED = "stored_requests";
/** Whether a line has a value in a column that is not stored. */
const HAS_MORE: Column = { name: "has_more", type: "BOOLEAN", meaning: "" };
/** All requests with `n`, the number of each in the order of the records, from 0. */
export const NUMBERED = "numbered_requests";

/** Stored whether or not a part of the records has them: failures may begin late. */
const STORED_ANYWAY = ["op", "status", "detail", "client_fault", "retry_after", "resent", "flags"];
export const ALL_MEMBERS: ReadonlySet<string> = new Set(Object.keys(REQUEST));

/** The members of requests that occur in a part of the records, and those that are stored anyway. */
export function membersIn(text: string): ReadonlySet<string> {
  const names = Array.from(text.matchAll(/"(\w+)":/g), ([, name = ""]) => name);
  return new Set([...STORED_ANYWAY, ...names.filter((name) => ALL_MEMBERS.has(name))]);
}

function storedOf(members: ReadonlySet<string>): readonly ReadColumn[] {
  const stored = Object.entries(REQUEST).flatMap(([member, kind]) =>
    members.has(member) ? [columnName(member, kind)] : [],
  );
  return REQUEST_COLUMNS.filter((column) => column === SHARD || column === LINE || stored.includes(column.name));
}

/** Makes the table of what is stored, and the queries over it that have every column. */
export function makeRequests(members: ReadonlySet<string>): string {
  const columns = [...storedOf(members), HAS_MORE].map(({ name, type }) => `${quoted(name)} ${type}`);
  return [`CREATE TABLE ${STORED} (${columns.join(", ")})`, ...requestViews(members)].join(";\n");
}

function requestViews(members: ReadonlySet<string>): string[] {
  const stored = new Set(storedOf(members).map(({ name }) => name));
  const all = REQUEST_COLUMNS.map(({ name, type }) =>
    stored.has(name) ? quoted(name) : `CAST(NULL AS ${type}) AS ${quoted(name)}`,
  );
  return [
    `CREATE OR REPLACE VIEW ${NUMBERED} AS SELECT rowid AS n, ${all.join(", ")} FROM ${STORED} WHERE op IS NOT NULL`,
    `CREATE OR REPLACE VIEW requests AS SELECT * EXCLUDE (n) FROM ${NUMBERED}`,
  ];
}

/** Stores more members from now on: all of these, some of which it has stored so far. */
export function storeMore(stored: ReadonlySet<string>, all: ReadonlySet<string>): string {
  const known = storedOf(stored);
  const added = storedOf(all).filter((column) => !known.includes(column));
  return [
    ...added.map(({ name, type }) => `ALTER TABLE ${STORED} ADD COLUMN ${quoted(name)} ${type}`),
    ...requestViews(all),
  ].join(";\n");
}

/** Stores the lines of a query that has every member. */
export function storeLines(lines: string, members: ReadonlySet<string>): string {
  const columns = storedOf(members);
  const others = [...ALL_MEMBERS]
    .filter((member) => !members.has(member))
    .map((member) => `${quoted(member)} IS NOT NULL`);
  const values = [...columns.map(({ value }) => value), others.length === 0 ? "FALSE" : others.join(" OR ")];
  const names = [...columns, HAS_MORE].map(({ name }) => quoted(name));
  return `INSERT INTO ${STORED} (${names.join(", ")}) SELECT ${values.join(", ")} FROM (${lines})`;
}

/** A query of one row: whether a shard has values that are not stored. */
export const hasMore = (shard: number): string =>
  `SELECT coalesce(bool_or(${HAS_MORE.name}), FALSE) AS more FROM ${STORED} WHERE shard = ${shard}`;
