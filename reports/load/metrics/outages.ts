/** Outages: intervals in which the target sent no response at all. */

import { z } from "zod";
import { endedByUs, OUTCOMES } from "../../../formats/outcomes.ts";
import type { Outage } from "../../../formats/run.ts";
import { listOf } from "../../tables/columns.ts";
import { overlapsSql } from "../read/calls-sql.ts";
import { type Interruptions, NO_INTERRUPTIONS } from "../read/interruptions.ts";
import type { Requests } from "../read/measured-requests.ts";
import { canBeOurs } from "../read/unit-outcomes.ts";

/** This many consecutive requests without a response, in the order in which they were sent, are an outage. */
const OUTAGE_REQUESTS = 5;

/** A finished video may be on another host. */
const OF_TARGET = "op <> 'video.fetch'";

/** These say nothing about the target. */
const OURS = `outcome IN ${listOf(OUTCOMES.filter((outcome) => endedByUs(outcome) || outcome === "client_error"))}`;

const MAY_BE_OURS = `outcome IN ${listOf(OUTCOMES.filter((outcome) => outcome !== "cancelled_by_us" && canBeOurs(outcome)))}`;

/**
 * Finds outages after the first response; a run without any response has none. Requests that we cancelled, that failed on the
 * load generator's machine, or that an interruption of the load generator can have failed, are skipped.
 * @param origin instant of second 0, in milliseconds
 */
export async function findOutages(
  { database }: Requests,
  origin: number,
  interruptions: Interruptions = NO_INTERRUPTIONS,
): Promise<Outage[]> {
  const isIn = ["scheduled_us", "sent_us", "end_us"].map((instant) => overlapsSql(interruptions, instant));
  const isOurs = `(${OURS} OR (${MAY_BE_OURS} AND (${isIn.join(" OR ")})))`;
  const n = z.number();
  const [asked] = await database.all(
    `SELECT count(*) FILTER (answered) AS responses, count(*) FILTER (NOT answered AND NOT ${isOurs}) AS silent FROM calls WHERE ${OF_TARGET}`,
    z.object({ responses: n, silent: n }),
  );
  if (asked === undefined || asked.silent < OUTAGE_REQUESTS) return [];
  // Each response ends the silence before it, which has its number.
  const silent = `(SELECT sent_us, end_us, n, outcome, answered, sum(CAST(answered AS INTEGER)) OVER (ORDER BY sent_us, n ROWS UNBOUNDED PRECEDING) AS silence
    FROM (SELECT sent_us, end_us, n, outcome, answered FROM calls WHERE ${OF_TARGET} AND (answered OR NOT ${isOurs})))
    WHERE NOT answered`;
  const silences = await database.all(
    `SELECT silence, min(sent_us) / 1000 AS "from", max(end_us) / 1000 AS "to", count(*) AS requests FROM ${silent}
      AND silence > 0 GROUP BY silence HAVING count(*) >= ${OUTAGE_REQUESTS} ORDER BY silence`,
    z.object({ silence: n, from: n, to: n, requests: n }),
  );
  const outages: Outage[] = [];
  for (const { silence, from, to, requests } of silences) {
    const outcomes = await database.all(
      `SELECT outcome, count(*) AS count FROM ${silent} AND silence = ${silence} GROUP BY outcome ORDER BY min((sent_us, n))`,
      z.object({ outcome: z.string(), count: n }),
    );
    outages.push({
      fromS: (from - origin) / 1_000,
      toS: (to - origin) / 1_000,
      requests,
      outcomes: Object.fromEntries(outcomes.map(({ outcome, count }) => [outcome, count])),
      recovered: silence < asked.responses,
    });
  }
  return outages;
}
