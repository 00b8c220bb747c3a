/** Failures by the address of the connection, where one address of a name fails more often than the others. */

import { z } from "zod";
import type { RunResult } from "../../../formats/run.ts";
import { formatNumber, plural } from "../../numbers.ts";
import type { Database } from "../../tables/database.ts";
import { HAS_FAILED } from "../../tables/outcome-sql.ts";

const row = z.object({ address: z.string(), requests: z.number(), failed: z.number() });

/** More addresses than these are not shown. */
const MOST = 10;

/** Standard errors of a difference beyond which chance is an unlikely explanation. */
export const BEYOND_CHANCE = 4;

/**
 * Measured requests by address, those with the most failures first; undefined where there is one address only, or where the shares
 * of failures of the first and of the others do not differ by more than chance.
 */
export async function failedAddresses(database: Database): Promise<RunResult["addresses"]> {
  const all = await database.all(
    `SELECT address, count(*) AS requests, count(*) FILTER (${HAS_FAILED}) AS failed FROM call_lines
      WHERE address IS NOT NULL AND phase = 'measure' AND op <> 'video.fetch' GROUP BY address ORDER BY failed / count(*) DESC, address`,
    row,
  );
  const [worst, ...others] = all;
  if (worst === undefined || others.length === 0) return undefined;
  const sum = (of: "requests" | "failed"): number => others.reduce((total, each) => total + each[of], 0);
  const [requests, failed] = [sum("requests"), sum("failed")];
  const pooled = (worst.failed + failed) / (worst.requests + requests);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / worst.requests + 1 / requests));
  const differs = worst.failed / worst.requests - failed / requests > BEYOND_CHANCE * error;
  return error > 0 && differs ? all.slice(0, MOST) : undefined;
}

/** `by address: 10.0.0.1:443 120 of 120 requests failed; 10.0.0.2:443 0 of 130 requests failed`. */
export const addressesInWords = (addresses: NonNullable<RunResult["addresses"]>): string =>
  `by address: ${addresses.map(({ address, requests, failed }) => `${address} ${formatNumber(failed)} of ${plural(requests, "request")} failed`).join("; ")}`;
