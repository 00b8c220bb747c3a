/** Requests that begin at the same time: the load generator is busy with them, and reads the responses of others late. Pure. */

import type { ClientLine } from "../../../formats/client.ts";
import { openLines } from "../metrics/client-health.ts";
import { INTERRUPTION_MS, latestWakeMs } from "../read/interruptions.ts";
import { LIMITS } from "./limits.ts";

/** The largest number of requests that began within `LIMITS.herd.withinMs`. */
export interface Herd {
  readonly requests: number;
  /** Seconds into the run. */
  readonly atS: number;
}

const { withinMs, least, share } = LIMITS.herd;
/** Two neighbouring ones are as long as a herd may take. */
export const BIN_MS: number = withinMs / 2;

/**
 * The largest herd of a run in which most of the seconds with late wake-ups had one.
 * @param bins how many requests began in each slice of `BIN_MS` since the start of the run
 */
export function herdOf(client: readonly ClientLine[], bins: ReadonlyMap<number, number>): Herd | undefined {
  const late = openLines(client).filter(isLate);
  if (late.length === 0) return undefined;
  const herds = late.flatMap((line) =>
    herdIn(bins, (client[client.indexOf(line) - 1]?.t ?? 0) * 1_000, line.t * 1_000),
  );
  if (herds.length * 2 < late.length) return undefined;
  return herds.reduce((largest, herd) => (herd.requests > largest.requests ? herd : largest));
}

/** A process that did not run begins as it runs again what was due meanwhile: such a herd is no cause. */
function isLate(line: ClientLine): boolean {
  const wakeMs = latestWakeMs(line);
  return wakeMs > LIMITS.wakeMs && wakeMs < INTERRUPTION_MS;
}

/** The herd between two instants, if most requests between them began with it. */
function herdIn(bins: ReadonlyMap<number, number>, fromMs: number, toMs: number): Herd[] {
  let [all, requests, at] = [0, 0, 0];
  for (let bin = Math.floor(fromMs / BIN_MS); bin * BIN_MS < toMs; bin += 1) {
    const own = bins.get(bin) ?? 0;
    const both = own + (bins.get(bin + 1) ?? 0);
    all += own;
    if (both > requests) [requests, at] = [both, bin];
  }
  return requests < least || requests < share * all ? [] : [{ requests, atS: (at * BIN_MS) / 1_000 }];
}
