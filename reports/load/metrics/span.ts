/** The measured window of a run on the clock, and what was delivered within it. */

import { z } from "zod";
import type { RunResult } from "../../../formats/run.ts";
import { allOf, isOfSql, MEASURED, type Requests, type Rows } from "../read/measured-requests.ts";

/** The settings that define the course of a run; durations in milliseconds. */
export type Plan = Pick<RunResult["settings"], "duration" | "warmup" | "rate">;

/** Instants in milliseconds since 1970. */
export interface Span {
  /** The first instant of the run; the windows count from here. */
  readonly origin: number;
  /** Begin and end of the measured window; both lie within it. */
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** What the files say about the clock of a run. Instants in milliseconds since 1970. */
export interface Clock {
  readonly startedAt: number | undefined;
  /** When the first arrival could be due. */
  readonly scheduleStartedAt: number | undefined;
  /** The same of the shard that started last. */
  readonly lastStartedAt: number | undefined;
  /** The run ended before its plan, by its user or by a bound on requests. */
  readonly cutShort: boolean;
}

/**
 * The measured window begins after the warm-up and lasts as long as was planned, from the first shard that starts to
 * the last that ends; where the start of the schedule is not known, it begins when its first arrival is due. A run that
 * was cut short is measured up to its last measured response.
 */
export async function measuredSpan(requests: Requests, plan: Plan, clock: Clock): Promise<Span> {
  const [seen] = await requests.database.all(
    `SELECT min(least(scheduled_us, sent_us)) / 1000 AS first, min(least(scheduled_us, sent_us)) FILTER (${MEASURED}) / 1000 AS "firstMeasured", max(end_us) FILTER (${MEASURED}) / 1000 AS last FROM calls`,
    z.object({ first: z.number().nullable(), firstMeasured: z.number().nullable(), last: z.number().nullable() }),
  );
  const origin = Math.min(clock.startedAt ?? Number.POSITIVE_INFINITY, seen?.first ?? Number.POSITIVE_INFINITY);
  let from = seen?.firstMeasured ?? Number.POSITIVE_INFINITY;
  const last = seen?.last ?? Number.NEGATIVE_INFINITY;
  if (clock.scheduleStartedAt !== undefined && plan.warmup !== undefined && Number.isFinite(from)) {
    from = clock.scheduleStartedAt + plan.warmup;
  }
  if (!Number.isFinite(from)) return { origin: Number.isFinite(origin) ? origin : 0, from: 0, to: 0, seconds: 0 };
  const { scheduleStartedAt = 0, lastStartedAt = scheduleStartedAt } = clock;
  const planned = !plan.duration ? last : from + plan.duration + (lastStartedAt - scheduleStartedAt);
  const to = Math.max(from, clock.cutShort ? Math.min(planned, last) : planned);
  return { origin, from, to, seconds: Math.round((to - from) * 1_000) / 1e6 };
}

/** What ok requests delivered within the window, whichever phase they began in; undefined when none counted any. */
interface Delivered {
  readonly tokens: number | undefined;
  readonly inputTokens: number | undefined;
  readonly items: number | undefined;
}

/** Parts of a token that sums are exact to, whatever the order of the requests. */
const PARTS = 1_000_000;

/** @param rows the requests to look at */
export async function delivered(requests: Requests, span: Span, rows: Rows): Promise<Delivered> {
  const share = shareWithinSql("first_us / 1000", "end_us / 1000", span);
  const sum = (value: string): string => `CAST(sum(CAST(round(${value} * ${PARTS}) AS BIGINT)) AS DOUBLE) / ${PARTS}`;
  const within = `FILTER (${isWithinSql("end_us / 1000", span)})`;
  const inWindow = (column: string, name: string): string =>
    `CAST(sum(CAST(round(${column} * ${PARTS}) AS BIGINT)) ${within} AS DOUBLE) / ${PARTS} AS ${name}`;
  const [found] = await requests.database.all(
    `SELECT ${sum(`output_tokens * ${share}`)} AS tokens, ${inWindow("input_tokens", '"inputTokens"')}, ${inWindow("batch_size", "items")} FROM calls WHERE ${allOf("outcome = 'ok'", isOfSql(rows))}`,
    z.object({ tokens: z.number().nullable(), inputTokens: z.number().nullable(), items: z.number().nullable() }),
  );
  return {
    tokens: found?.tokens ?? undefined,
    inputTokens: found?.inputTokens ?? undefined,
    items: found?.items ?? undefined,
  };
}

/** Whether an instant lies within the measured window; the end of a run that was cut short is its last response. */
export const isWithinSql = (ms: string, { from, to }: Pick<Span, "from" | "to">): string =>
  `${ms} BETWEEN ${from} AND ${to}`;

/** Share of the time from `begin` to `end` that lies within the window; an instant lies within or not. */
function shareWithinSql(begin: string, end: string, span: Span): string {
  const { from, to } = span;
  return `CASE WHEN ${end} <= ${begin} THEN CAST(${isWithinSql(end, span)} AS INTEGER) ELSE greatest(0, least(${end}, ${to}) - greatest(${begin}, ${from})) / (${end} - ${begin}) END`;
}
