/**
 * Clients that left streamed chats (`--leave`), and for how long the target went on with their work. What the target is busy with,
 * as it tells itself, less the requests that are open, is work of clients that left: what there is more of it in the measured
 * window than in the warm-up, in which all stay, divided by how many left (Little's law).
 */

import { z } from "zod";
import type { RunResult } from "../../../formats/run.ts";
import { formatNumber, plural } from "../../numbers.ts";
import type { Requests } from "../read/measured-requests.ts";
import { firstFrom } from "../stats/first-from.ts";
import type { Span } from "./span.ts";
import type { BusyReading } from "./target-metrics.ts";

export type LeftClients = NonNullable<RunResult["left"]>;
type Work = LeftClients["work"];

/** Parts of the warm-up and of the measured window, whose means show how exact the difference is. */
const PARTS = { warmup: 5, measured: 10 } as const;
/** How many standard errors the mean of so few parts may be off. */
const ERRORS = 2.5;

/**
 * Those of a run; undefined where none was to leave.
 * @param readings of the target's own metrics; empty where none were read
 * @param grew whether the queue of the target grew, so that requests wait where it does not count them
 */
export async function leftClients(
  requests: Requests,
  { origin, from, to }: Span,
  readings: readonly BusyReading[],
  grew: boolean,
): Promise<LeftClients | undefined> {
  const { leaving } = requests.facts;
  if (leaving === undefined) return undefined;
  const left: { readonly end: number; readonly took: number }[] = [];
  await requests.database.eachNumbers(
    "SELECT end_us / 1000, (end_us - sent_us) / 1000 FROM calls WHERE outcome = 'left' ORDER BY n",
    ([end = 0, took = 0]) => left.push({ end, took }),
  );
  const result = { at: leaving.at, asked: leaving.requests, left: left.length };
  const unknown = (reason: string): LeftClients => ({ ...result, work: { notVisible: reason } });
  if (left.length === 0) return unknown("no client left");
  if (readings.length === 0) return unknown("no source of --scrape tells how many requests are running");
  if (grew) return unknown("the queue of the target grew");
  const excess = await excessOver(requests, readings);
  const [before, during] = [
    spread(excess, { from: origin, to: from }, PARTS.warmup),
    spread(excess, { from, to }, PARTS.measured),
  ];
  if (before === undefined)
    return unknown("the warm-up, in which no client leaves, has too few readings to compare with");
  if (during === undefined) return unknown("the measured window has too few readings");
  const stays = left.map(({ end }) => Math.max(0, to - end));
  const more = during.mean - before.mean;
  const error = ERRORS * Math.hypot(before.error, during.error);
  const seconds = (requestsMore: number): number => workOf(stays, requestsMore * (to - from)) / 1_000;
  const [low, high] = [seconds(more - error), seconds(more + error)];
  const stayed = left.reduce((sum, { took }) => sum + took, 0) / left.length;
  const rest = (await restOf(requests, stayed)) / 1_000;
  if (more + error < 0) return unknown("the target reported fewer requests than were open");
  if (!(high - low < rest)) {
    return unknown(`too few clients left, or too few readings: it was between ${inWords(low)} and ${inWords(high)}`);
  }
  return { ...result, work: { seconds: seconds(more), low, high, rest } };
}

/** At each reading, the requests that a source was busy with, and all that were open. */
interface Excess {
  readonly at: Float64Array;
  readonly source: readonly string[];
  readonly busy: readonly number[];
  readonly open: Float64Array;
}

async function excessOver({ database }: Requests, given: readonly BusyReading[]): Promise<Excess> {
  const readings = [...given].sort((a, b) => a.at - b.at);
  const at = Float64Array.from(readings, (reading) => reading.at);
  const open = new Float64Array(at.length + 1);
  const change = (instant: number, by: number) => {
    const index = firstFrom(at, instant);
    open[index] = (open[index] ?? 0) + by;
  };
  await database.eachNumbers(
    "SELECT sent_us / 1000, end_us / 1000 FROM calls WHERE op NOT LIKE 'video.%'",
    ([sent = 0, end = 0]) => {
      change(sent, 1);
      change(end, -1);
    },
  );
  for (let index = 1; index < open.length; index += 1) open[index] = (open[index] ?? 0) + (open[index - 1] ?? 0);
  return { at, open, source: readings.map(({ source }) => source), busy: readings.map((reading) => reading.requests) };
}

/** Mean of what all sources were busy with beyond the open requests, and its standard error; undefined with too few readings. */
function spread(
  excess: Excess,
  { from, to }: Pick<Span, "from" | "to">,
  parts: number,
): { readonly mean: number; readonly error: number } | undefined {
  const sources = [...new Set(excess.source)];
  const means = Array.from({ length: parts }, (_, part) => {
    const edge = (nth: number) => firstFrom(excess.at, from + ((to - from) * nth) / parts);
    return meanOf(excess, edge(part), edge(part + 1), sources);
  }).filter((mean) => mean !== undefined);
  if (means.length < parts / 2) return undefined;
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
  return { mean, error: Math.sqrt(variance / means.length) };
}

function meanOf({ source, busy, open }: Excess, first: number, end: number, sources: readonly string[]) {
  const sums = new Map(sources.map((name) => [name, { n: 0, sum: 0 }]));
  let openSum = 0;
  for (let index = first; index < end; index += 1) {
    const of = sums.get(source[index] ?? "");
    if (of === undefined) continue;
    of.n += 1;
    of.sum += busy[index] ?? 0;
    openSum += open[index] ?? 0;
  }
  if ([...sums.values()].some(({ n }) => n === 0)) return undefined;
  return [...sums.values()].reduce((total, { n, sum }) => total + sum / n, 0) - openSum / (end - first);
}

/** For how long each must have gone on, at most until the end of the window, for all to add up to an amount of time; milliseconds. */
function workOf(stays: readonly number[], amount: number): number {
  let [low, high] = [0, Math.max(...stays)];
  for (let halving = 0; halving < 50; halving += 1) {
    const middle = (low + high) / 2;
    if (stays.reduce((sum, stay) => sum + Math.min(stay, middle), 0) < amount) low = middle;
    else high = middle;
  }
  return high;
}

/** How much longer the responses of clients that left would have taken, by those of clients that stayed as long; milliseconds. */
async function restOf({ database }: Requests, stayed: number): Promise<number> {
  const [found] = await database.all(
    `SELECT coalesce(CAST(sum(end_us - sent_us) AS DOUBLE) / count(*) / 1000 - ${stayed}, 0) AS rest FROM calls WHERE outcome = 'ok' AND op = 'chat.stream' AND (end_us - sent_us) / 1000 > ${stayed}`,
    z.object({ rest: z.number() }),
  );
  return found?.rest ?? 0;
}

const inWords = (seconds: number): string => (seconds < 10 ? `${seconds.toFixed(2)} s` : `${seconds.toFixed(1)} s`);

/** What a report says of them: two sentences without their ends. */
export function leftInWords({ at, asked, left, work }: LeftClients): string[] {
  const whole = asked - left;
  const others = whole > 0 ? `; ${formatNumber(whole)} more ended before that` : "";
  return [
    `${plural(left, "client")} left (${at})${others}: they count in no error rate and in no latency that ends after they leave`,
    workInWords(work),
  ];
}

function workInWords(work: Work): string {
  if ("notVisible" in work)
    return `whether the target stops the work of clients that leave is not visible: ${work.notVisible}`;
  const { seconds, low, high, rest } = work;
  const range = `${inWords(low)} to ${inWords(high)}`;
  const without = `the rest of their responses would have taken ${inWords(rest)}`;
  if (low > 0.1 * rest)
    return `work of clients that left went on for ${inWords(seconds)} on average (${range}); ${without}`;
  return `work of clients that left stopped within ${inWords(high)}; ${without}`;
}
