/** What the validity of a load is decided by, and what each of its load generators came to. */

import { z } from "zod";
import type { Counts, RunResult } from "../../formats/run.ts";
import { readInstant } from "../../settings/instants.ts";
import { formatDuration } from "../../settings/units.ts";
import { plural } from "../numbers.ts";
import type { Course } from "./load-course.ts";
import { arrivalsCounted, type MeasuredLoad } from "./measured-load.ts";
import { absentInWords } from "./read/absent-segments.ts";
import { ARRIVAL, type FailureGroup } from "./read/failed-requests.ts";
import { NO_RESPONSES, type Responses } from "./read/measured-requests.ts";
import { segmentName } from "./read/segments.ts";
import type { Read } from "./read/shards.ts";
import { BIN_MS, herdOf } from "./validity/herd.ts";
import { type Evidence, type ShardEvidence, shardValidity } from "./validity/validity.ts";

/** Every arrival that started must be told of by a request or a line, unless the run was cut short. */
function untold({ clients, units }: Read, { interrupted }: Course, counts: Counts): string[] {
  const started = arrivalsCounted(clients)?.started ?? counts.started;
  if (interrupted || !units.numbered || started === counts.started) return [];
  return [`${started} arrivals of the measured time started, but the records have ${counts.started}`];
}

/** What the validity of a load is decided by. */
export async function evidenceOf(load: MeasuredLoad, failed: readonly FailureGroup[]): Promise<Evidence> {
  const { read, course } = load;
  const { counts, lost } = await load.whole.units;
  const { requests, damage, notes, shards } = read;
  const { span, absent } = course;
  const isMissing = absent.missing.length > 0;
  const words = absentInWords(absent, lost);
  const responses = shards.map((_, index) => requests.responses(index));
  const lagMs = await requests.sample("schedule_lag").counted();
  const ofShards: ShardEvidence[] = [];
  for (const [index, shard] of shards.entries()) {
    ofShards.push({
      ...(shards.length > 1 && { name: nameOf(shard, index) }),
      responses: responses[index] ?? NO_RESPONSES,
      clientFaults: requests.facts.clientFaults[index] ?? new Map(),
      lagMs: shards.length > 1 ? await requests.sample("schedule_lag", { shards: [index] }).counted() : lagMs,
      client: shard.client,
      herd: herdOf(shard.client, await startsOf(read, index)),
    });
  }
  return {
    damage: [...damage, ...untold(read, course, counts), ...(isMissing ? words : [])],
    responses: responses.reduce(addResponses, NO_RESPONSES),
    offered: counts.offered,
    notStarted: counts.not_started - lost,
    seconds: span.seconds,
    lagMs,
    slotWaitMs: await requests.sample("slot_wait").counted(),
    threw: thrownIn(failed),
    shards: ofShards,
    notes: [...notes, ...(isMissing ? [] : words), ...cutByDrain(course, counts)],
  };
}

/** How many requests of a load generator began in each slice of time since its start. */
async function startsOf({ database, shards }: Read, shard: number): Promise<ReadonlyMap<number, number>> {
  const startedAt = readInstant(shards[shard]?.header?.startedAt ?? "");
  if (Number.isNaN(startedAt)) return new Map();
  const n = z.number();
  const starts = await database.all(
    `SELECT CAST(floor((sent_us / 1000 - ${startedAt}) / ${BIN_MS}) AS BIGINT) AS bin, count(*) AS count FROM calls WHERE shard = ${shard} GROUP BY bin`,
    z.object({ bin: n, count: n }),
  );
  return new Map(starts.map(({ bin, count }) => [bin, count]));
}

/** Arrivals whose scenario threw, those of the warm-up with them. */
function thrownIn(groups: readonly FailureGroup[]): Evidence["threw"] {
  const threw = groups.filter(({ op, outcome }) => op === ARRIVAL && outcome === "threw");
  const count = threw.reduce((sum, group) => sum + group.count, 0);
  return count === 0 ? undefined : { count, reason: threw[0]?.reason ?? "without saying why" };
}

const addResponses = (a: Responses, b: Responses): Responses => ({
  requests: a.requests + b.requests,
  reached: a.reached + b.reached,
  answered: a.answered + b.answered,
  clientErrors: a.clientErrors + b.clientErrors,
});

/** Units of work that our own drain may cut off before the run says so. */
const UNFINISHED_SHARE = 0.01;

function cutByDrain({ interrupted, plan }: Course, { unfinished, offered }: Counts): string[] {
  if (interrupted || unfinished <= offered * UNFINISHED_SHARE) return [];
  const drain = plan.drain === undefined ? "" : ` of ${formatDuration(plan.drain)}`;
  return [
    `${unfinished} of ${plural(offered, "request")} were still unfinished at the end of the drain${drain}; raise --set drain`,
  ];
}

const nameOf = ({ header }: Read["shards"][number], index: number): string =>
  header?.segment ? segmentName(header.segment) : `${index + 1}`;

/** Each load generator of a run that several shared. */
export function shardsOf(read: Read, evidence: Evidence): RunResult["shards"] {
  return evidence.shards.map((shard, index) => {
    const last = shard.client.at(-1);
    const lag = shard.lagMs.quantile(990);
    return {
      segment: shard.name ?? "",
      startedAt: read.shards[index]?.header?.startedAt ?? "",
      verdict: shardValidity(shard, evidence),
      offered: last?.offered.measure ?? 0,
      started: last?.started.measure ?? 0,
      ...(!Number.isNaN(lag) && { lagP99Ms: lag }),
    };
  });
}
