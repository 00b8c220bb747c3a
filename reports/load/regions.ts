/** A load that several machines or clusters made, by their parts of it: latencies of each, and how far their clocks differ. Pure. */

import type { RunResult } from "../../formats/run.ts";
import { countCalls, ownLatencies } from "./metrics/request-metrics.ts";
import type { Read } from "./read/shards.ts";

type Region = NonNullable<RunResult["regions"]>[number];

/** Each is a pass over all requests. */
const MOST_REGIONS = 16;

/** The parts of a load; undefined where it has one, or where a load generator says of none. */
export async function regionsOf({
  shards,
  requests,
}: Pick<Read, "shards" | "requests">): Promise<Region[] | undefined> {
  const parts = shards.map(({ header }) => header?.settings.segment);
  const names = [...new Set(parts)].toSorted((a = "", b = "") => a.localeCompare(b, "en", { numeric: true }));
  if (names.length < 2 || names.length > MOST_REGIONS) return undefined;
  const clocks = names.map((name) => clockOf(shards.filter((_, index) => parts[index] === name)));
  const regions: Region[] = [];
  for (const [index, segment] of names.entries()) {
    if (segment === undefined) continue;
    const own = { shards: parts.flatMap((part, shard) => (part === segment ? [shard] : [])) };
    const [clock, first] = [clocks[index], clocks[0]];
    regions.push({
      segment,
      generators: own.shards.length,
      calls: await countCalls(requests, own),
      metrics: await ownLatencies(requests, own),
      // The first is ahead of itself by nothing.
      ...(clock && first && index > 0 && { clock: rounded(first.from - clock.to, first.to - clock.from) }),
    });
  }
  return regions;
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** How far the target's clock is ahead of those of some load generators, in milliseconds; undefined where one does not know. */
function clockOf(shards: Read["shards"]): Bounds | undefined {
  const known = shards.flatMap(({ client }) => {
    const bounds = client.findLast(({ target_clock_ms }) => target_clock_ms !== undefined)?.target_clock_ms;
    if (bounds === undefined) return [];
    const [low, high] = bounds;
    // Crossed ones, of a target with several clocks or one that is late, say no more than that they are as far apart.
    return low <= high ? [{ from: low, to: high }] : [{ from: high, to: low + (low - high) }];
  });
  if (known.length < shards.length || known.length === 0) return undefined;
  return { from: Math.min(...known.map(({ from }) => from)), to: Math.max(...known.map(({ to }) => to)) };
}

const rounded = (from: number, to: number) => ({ fromMs: Number(from.toFixed(1)), toMs: Number(to.toFixed(1)) });
