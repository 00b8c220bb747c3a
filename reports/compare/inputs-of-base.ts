/** Which inputs of new runs the base had sent. */

import { z } from "zod";
import { MEASURED } from "../load/read/measured-requests.ts";
import type { Database } from "../tables/database.ts";

const SENT = "calls AS c JOIN requests AS r ON r.rowid = c.n WHERE r.input_digest IS NOT NULL";

/** The inputs that runs of the base sent, each once, as their digests. */
export async function inputsSent(databases: readonly Database[]): Promise<ReadonlySet<number>> {
  const sent = new Set<number>();
  for (const database of databases) {
    await database.eachNumbers(`SELECT DISTINCT r.input_digest::DOUBLE FROM ${SENT}`, ([digest = 0]) => {
      sent.add(digest);
    });
  }
  return sent;
}

/** Share of the measured requests of a new run whose input the base sent; undefined where its records do not say. */
export async function sentByBase(database: Database, sent: ReadonlySet<number>): Promise<number | undefined> {
  await database.run("CREATE TABLE sent_by_base (digest DOUBLE)");
  await database.append(
    "sent_by_base",
    Array.from(sent, (digest) => [digest]),
  );
  const [found] = await database.all(
    `SELECT count(*) AS requests, count(*) FILTER (r.input_digest::DOUBLE IN (SELECT digest FROM sent_by_base)) AS again FROM ${SENT} AND c.${MEASURED}`,
    z.object({ requests: z.number(), again: z.number() }),
  );
  return found === undefined || found.requests === 0 ? undefined : found.again / found.requests;
}
