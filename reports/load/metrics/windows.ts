/** A run second by second: what was sent, what ended and how, latencies, and the client's state. */

import { z } from "zod";
import type { ClientLine } from "../../../formats/client.ts";
import { OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import type { RunWindow } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import type { Read } from "../read/shards.ts";
import { quantile } from "../stats/quantiles.ts";
import { WAKE_PER_MILLE } from "./client-health.ts";
import type { Span } from "./span.ts";
import { openTasks, type Tasks } from "./video-metrics.ts";

/** Latencies, by the second in which their request was sent, or in which its arrival was due. */
const BY = { ttft: "sent_us", e2e: "sent_us", ttft_scheduled: "scheduled_us", e2e_scheduled: "scheduled_us" } as const;
type Latency = keyof typeof BY;
const LATENCIES = ["ttft", "e2e", "ttft_scheduled", "e2e_scheduled"] as const satisfies readonly Latency[];

/** Longest run that is reported second by second: a day. Later seconds, of a clock that jumped, are left out. */
const MOST_SECONDS = 86_400;

/** The health of one load generator, and the instant from which its lines count. */
export interface ClientLines {
  readonly lines: readonly ClientLine[];
  readonly startedAt: number | undefined;
}

/** The second of a run that an instant is in. */
const secondSql = (instantUs: string, { origin }: Span): string =>
  `CAST(floor((${instantUs} - ${Math.round(origin * 1_000)}) / 1000000) AS BIGINT)`;

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
  const sent = await bySecond("calls", "sent_us", "count(*) AS sent, count(*) FILTER (op = 'video.poll') AS polls", {
    sent: n,
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
  const spreads = await latenciesBySecond(bySecond, requests);
  const length = [...sent, ...ended, ...due, ...dueOk].reduce((most, { t }) => Math.max(most, t + 1), 0);
  const open = await openTasks(tasks, span.origin, span.origin + length * 1_000);
  const hasTasks = open.some((count) => count > 0);
  const health = healthBySecond(clients, span.origin);
  const at = <T extends { readonly t: number }>(rows: readonly T[]): ReadonlyMap<number, T> =>
    new Map(rows.map((row) => [row.t, row]));
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
        sent: sentAt.get(t)?.sent ?? 0,
        ended: own.reduce((sum, { count }) => sum + count, 0),
        ok: own.find(({ outcome }) => outcome === "ok")?.count ?? 0,
        outcomes: Object.fromEntries(own.map(({ outcome, count }) => [outcome, count])),
        tokens: tokens.length === 0 ? undefined : tokens.reduce((sum, each) => sum + each, 0),
        tasks: hasTasks ? open[t] : undefined,
        polls: hasTasks ? (sentAt.get(t)?.polls ?? 0) : undefined,
        ttft: spreads.get(t)?.ttft,
        e2e: spreads.get(t)?.e2e,
        ttft_scheduled: spreads.get(t)?.ttft_scheduled,
        e2e_scheduled: spreads.get(t)?.e2e_scheduled,
      }),
      ...health.get(t),
    };
  });
}

type BySecond = ReturnType<typeof secondsIn>;

/** Makes queries of figures per second of a run. */
const secondsIn =
  (database: Read["database"], span: Span) =>
  <T extends z.ZodRawShape>(from: string, instant: string, figures: string, row: T) => {
    const t = secondSql(instant, span);
    return database.all(
      `SELECT ${t} AS t, ${figures} FROM ${from} WHERE ${t} BETWEEN 0 AND ${MOST_SECONDS - 1} GROUP BY ALL ORDER BY t`,
      z.object({ t: n, ...row }),
    );
  };

/** By second, each latency that requests with the outcome ok have. */
async function latenciesBySecond(
  bySecond: BySecond,
  { facts }: Read["requests"],
): Promise<ReadonlyMap<number, Partial<Record<Latency, Spread>>>> {
  const all = new Map<number, Partial<Record<Latency, Spread>>>();
  const names = LATENCIES.filter((name) => facts.present.has(name));
  if (names.length === 0) return all;
  const values = names.map(
    (name) =>
      `SELECT '${name}' AS name, ${BY[name]} AS instant, ${name} AS v FROM calls WHERE outcome = 'ok' AND ${name} IS NOT NULL`,
  );
  const found = await bySecond(
    `(${values.join(" UNION ALL ")})`,
    "instant",
    "name, count(*) AS n, CAST(sum(CAST(round(v * 1000000) AS BIGINT)) AS DOUBLE) / 1000000 AS sum, min(v) AS min, max(v) AS max, quantile_disc(v, 0.5) AS p50",
    { name: z.enum(LATENCIES), n, sum: n, min: n, max: n, p50: n },
  );
  for (const { t, name, n: count, sum, min, max, p50 } of found) {
    const own = { n: count, min, mean: sum / count, max, ...(count >= MEDIAN_FROM && { p50 }) };
    all.set(t, { ...all.get(t), [name]: own });
  }
  return all;
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

const MEDIAN_FROM = QUANTILES[0].minSamples;

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
