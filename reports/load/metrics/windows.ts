/** A run second by second: what was sent, what ended and how, latencies, and the client's state. */

import { z } from "zod";
import type { ClientLine } from "../../../formats/client.ts";
import { OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import type { RunWindow } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { allOf } from "../read/measured-requests.ts";
import type { Read } from "../read/shards.ts";
import { quantile } from "../stats/quantiles.ts";
import { intervalSql, isInRangeSql, MOST_AT_ONCE, type Range, rangesOf } from "../stats/ranges.ts";
import { WAKE_PER_MILLE } from "./client-health.ts";
import type { Span } from "./span.ts";
import { openTasks, type Tasks } from "./video-metrics.ts";

/** Latencies, by the second in which their request was sent, or in which its arrival was due. */
const BY = { ttft: "sent_us", e2e: "sent_us", ttft_scheduled: "scheduled_us", e2e_scheduled: "scheduled_us" } as const;
type Latency = keyof typeof BY;
const LATENCIES = ["ttft", "e2e", "ttft_scheduled", "e2e_scheduled"] as const satisfies readonly Latency[];

/** Longest run that is reported second by second: a day. Later seconds, of a clock that jumped, are left out. */
const EVERY_SECOND: Range = [0, 86_400];

/** The health of one load generator, and the instant from which its lines count. */
export interface ClientLines {
  readonly lines: readonly ClientLine[];
  readonly startedAt: number | undefined;
}

const n = z.number();
type Spread = NonNullable<RunWindow["ttft"]>;

/**
 * Latencies belong to the second in which their request was sent, or its arrival was due if they count from then; only
 * requests with the outcome ok have them.
 */
export async function windowsOf(
  { database, requests }: Pick<Read, "database" | "requests">,
  span: Span,
  tasks: Tasks,
  clients: readonly ClientLines[],
): Promise<RunWindow[]> {
  const bySecond = secondsIn(database, span);
  const at = <T extends { readonly t: number }>(rows: readonly T[]): ReadonlyMap<number, T> =>
    new Map(rows.map((row) => [row.t, row]));
  const sent = await bySecond("calls", "sent_us", "count(*) AS count, count(*) FILTER (op = 'video.poll') AS polls", {
    count: n,
    polls: n,
  });
  const ended = await bySecond(
    "calls",
    "end_us",
    "outcome, count(*) AS count, CAST(sum(CASE WHEN outcome = 'ok' THEN output_tokens END) AS DOUBLE) AS tokens, min(n) AS first",
    { outcome: z.enum(OUTCOMES), count: n, tokens: n.nullable(), first: n },
  );
  const due = await bySecond(
    "units",
    "scheduled_us",
    "count(*) AS due, count(*) FILTER (outcome = 'not_started') AS \"notStarted\"",
    { due: n, notStarted: n },
  );
  // The second in which one was due is reported, even if nothing else took place in it.
  const dueOk = await bySecond("(SELECT * FROM calls WHERE outcome = 'ok')", "scheduled_us", "count(*) AS count", {
    count: n,
  });
  const ofSent = at(await latenciesBySecond(bySecond, requests, "sent_us", sent));
  const ofDue = at(await latenciesBySecond(bySecond, requests, "scheduled_us", dueOk));
  const length = [...sent, ...ended, ...due, ...dueOk].reduce((most, { t }) => Math.max(most, t + 1), 0);
  const open = await openTasks(tasks, span.origin, span.origin + length * 1_000);
  const hasTasks = open.some((count) => count > 0);
  const health = healthBySecond(clients, span.origin);
  const [sentAt, dueAt] = [at(sent), at(due)];
  const endedAt = groupBySecond(ended);
  return Array.from({ length }, (_, t) => {
    const own = (endedAt.get(t) ?? []).toSorted((a, b) => a.first - b.first);
    const tokens = own.flatMap((each) => each.tokens ?? []);
    return {
      ...omitUndefined<RunWindow>({
        t,
        phase: phaseAt(span, t),
        due: dueAt.get(t)?.due ?? 0,
        notStarted: dueAt.get(t)?.notStarted || undefined,
        sent: sentAt.get(t)?.count ?? 0,
        ended: own.reduce((sum, { count }) => sum + count, 0),
        ok: own.find(({ outcome }) => outcome === "ok")?.count ?? 0,
        outcomes: Object.fromEntries(own.map(({ outcome, count }) => [outcome, count])),
        tokens: tokens.length === 0 ? undefined : tokens.reduce((sum, each) => sum + each, 0),
        tasks: hasTasks ? open[t] : undefined,
        polls: hasTasks ? (sentAt.get(t)?.polls ?? 0) : undefined,
        ttft: ofSent.get(t)?.ttft,
        e2e: ofSent.get(t)?.e2e,
        ttft_scheduled: ofDue.get(t)?.ttft_scheduled,
        e2e_scheduled: ofDue.get(t)?.e2e_scheduled,
      }),
      ...health.get(t),
    };
  });
}

/** Makes queries of figures per second of a run, or of some of its seconds. */
const secondsIn =
  (database: Read["database"], { origin }: Span) =>
  <T extends z.ZodRawShape>(from: string, instant: string, figures: string, row: T, some = EVERY_SECOND) => {
    const range: Range = [Math.max(some[0], EVERY_SECOND[0]), Math.min(some[1], EVERY_SECOND[1])];
    const seconds = { startUs: Math.round(origin * 1_000), widthUs: 1_000_000 };
    return database.all(
      `SELECT ${intervalSql(seconds, instant)} AS t, ${figures} FROM ${from} WHERE ${allOf(...isInRangeSql(seconds, instant, range))} GROUP BY ALL ORDER BY t`,
      z.object({ t: n, ...row }),
    );
  };

const MEDIAN_FROM = QUANTILES[0].minSamples;

const spreadRow = z
  .object({ n, sum: n, min: n, max: n, p50: n })
  .nullable()
  .optional()
  .transform((found): Spread | undefined => {
    if (found == null) return undefined;
    const { n: count, sum, min, max, p50 } = found;
    return { n: count, min, mean: sum / count, max, ...(count >= MEDIAN_FROM && { p50 }) };
  });
const SPREADS = { ttft: spreadRow, e2e: spreadRow, ttft_scheduled: spreadRow, e2e_scheduled: spreadRow } as const;

const spreadSql = (name: Latency): string =>
  `CASE WHEN count(${name}) > 0 THEN {n: count(${name}), sum: CAST(sum(CAST(round(${name} * 1000000) AS BIGINT)) AS DOUBLE) / 1000000, min: min(${name}), max: max(${name}), p50: quantile_disc(${name}, 0.5)} END AS ${name}`;

/**
 * By second, each latency that requests with the outcome ok have and that counts from an instant.
 * @param counted how many requests each second has at most
 */
async function latenciesBySecond(
  bySecond: ReturnType<typeof secondsIn>,
  { facts }: Read["requests"],
  instant: (typeof BY)[Latency],
  counted: readonly { readonly t: number; readonly count: number }[],
) {
  const names = LATENCIES.filter((name) => BY[name] === instant && facts.present.has(name));
  if (names.length === 0) return [];
  const ranges = rangesOf(
    counted.map(({ t: at, count }) => ({ at, count })),
    MOST_AT_ONCE / names.length,
  );
  const figures = names.map(spreadSql).join(", ");
  const found = [];
  for (const range of ranges)
    found.push(...(await bySecond("(SELECT * FROM calls WHERE outcome = 'ok')", instant, figures, SPREADS, range)));
  return found;
}

function groupBySecond<T extends { readonly t: number }>(rows: readonly T[]): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const known = groups.get(row.t);
    if (known === undefined) groups.set(row.t, [row]);
    else known.push(row);
  }
  return groups;
}

/** The phase of most of second `t`. */
function phaseAt({ origin, from, to, seconds }: Span, t: number): string {
  const middle = origin + (t + 0.5) * 1_000;
  if (seconds === 0 || middle < from) return PHASES[0];
  return middle < to ? PHASES[1] : PHASES[2];
}

type Health = Pick<RunWindow, "cpu" | "open" | "rssMb" | "lagP99Ms" | "wakeP90Ms">;

/** Load generators on several machines add up, except that lag and wake-up latency are the largest. */
function healthBySecond(clients: readonly ClientLines[], origin: number): Map<number, Health> {
  const seconds = new Map<number, Health>();
  for (const { lines, startedAt = origin } of clients) {
    const shift = Math.round((startedAt - origin) / 1_000);
    for (const [own, { cpu, open, rss_mb, lag_p99_ms, wakes_us = [] }] of linesBySecond(lines)) {
      const second = own + shift;
      const before = seconds.get(second) ?? {};
      const plus = (a: number | undefined, b: number | undefined) => (b === undefined ? a : (a ?? 0) + b);
      const most = (a: number | undefined, b: number | undefined) => (b === undefined ? a : Math.max(a ?? 0, b));
      const wake = wakes_us.length === 0 ? undefined : quantile(wakes_us, WAKE_PER_MILLE) / 1_000;
      seconds.set(
        second,
        omitUndefined<Health>({
          cpu: plus(before.cpu, cpu),
          open: plus(before.open, open),
          rssMb: plus(before.rssMb, rss_mb),
          lagP99Ms: most(before.lagP99Ms, lag_p99_ms),
          wakeP90Ms: most(before.wakeP90Ms, wake),
        }),
      );
    }
  }
  return seconds;
}

/** A line describes the second that ends with it; the final line, a fraction that may have been described already. */
function linesBySecond(lines: readonly ClientLine[]): Map<number, ClientLine> {
  const seconds = new Map<number, ClientLine>();
  for (const line of lines) {
    const second = Math.max(0, Math.round(line.t) - 1);
    if (!seconds.has(second)) seconds.set(second, line);
  }
  return seconds;
}
