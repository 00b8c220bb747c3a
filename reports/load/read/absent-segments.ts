/**
 * The parts of a shared load of which records are missing: of a load generator that was killed or stopped while others went on,
 * or that left none. Pure.
 */

import type { ClientLine } from "../../../formats/client.ts";
import { plural } from "../../numbers.ts";
import { missingSegments, overlap, segmentName, segmentOfPart, shareOf } from "./segments.ts";

/** What is known of a load generator. */
interface Present {
  /** As k6 writes it; absent: it ran a load of its own. */
  readonly segment: string | undefined;
  /** The part of the load, such as `2/3`, within which the segment lies; absent: the whole. */
  readonly part?: string | undefined;
  readonly client: readonly ClientLine[];
}

export interface Absent {
  /** Names of the segments of which there is no folder. */
  readonly missing: readonly string[];
  /** Names of the segments whose load generator was killed. */
  readonly killed: readonly string[];
  /** Names of the segments whose load generator was stopped before its time, while another came to its end. */
  readonly stopped: readonly string[];
  /**
   * Measured arrivals that were due with those of the absent segments; undefined where that is not known: without a load
   * generator that came to its end, and in a closed loop, whose users make arrivals of their own.
   */
  readonly due?: number;
}

const NONE: Absent = { missing: [], killed: [], stopped: [] };

/**
 * What is absent of a load that segments share, or of a part of it where all of them are of that part, as of one cluster of several. Each segment is due the arrivals of its share, by what the load generators
 * that came to their end counted.
 * @param isClosed whether the load has users that make their own arrivals
 */
export function absentOf(shards: readonly Present[], isClosed: boolean): Absent {
  const segments = shards.flatMap(({ segment }) => segment ?? []);
  if (segments.length === 0 || segments.length < shards.length || overlap(segments)) return NONE;
  const [part, ...others] = new Set(shards.map((shard) => shard.part));
  const whole = segmentOfPart(others.length === 0 ? part : undefined);
  const missing = missingSegments(segments, whole);
  const final = shards.filter(({ client }) => client.at(-1)?.final === true);
  const complete = final.filter(({ client }) => client.at(-1)?.stopped === undefined);
  // Where all were stopped, as by Ctrl-C, no share is owed to the others.
  const ended = complete.length === 0 ? final : complete;
  const killed = namesOf(shards.filter((shard) => !final.includes(shard)));
  const stopped = namesOf(final.filter((shard) => !ended.includes(shard)));
  const share = shareOf(ended.flatMap(({ segment }) => segment ?? []));
  const absent = { missing, killed, stopped };
  if (missing.length + killed.length + stopped.length === 0 || share === 0 || isClosed) return absent;
  const counted = ended.reduce((sum, { client }) => sum + (client.at(-1)?.offered.measure ?? 0), 0);
  return { ...absent, due: Math.round((counted / share) * shareOf([whole])) };
}

const namesOf = (shards: readonly Present[]): string[] => shards.map(({ segment = "" }) => segmentName(segment));

/**
 * What is absent, in a sentence without its end; none when nothing is.
 * @param lost arrivals that count as not started because of it
 */
export function absentInWords({ missing, killed, stopped, due }: Absent, lost: number): string[] {
  const sentences = [
    ...(missing.length === 0 ? [] : [`${named(missing, "is", "are")} missing: no folder holds records of it`]),
    ...(killed.length === 0 ? [] : [`${named(killed, "was", "were")} killed before the end`]),
    ...(stopped.length === 0
      ? []
      : [`${named(stopped, "was", "were")} stopped before the end, while others went on, as when a node is drained`]),
    ...(due === undefined ? [] : [`${plural(lost, "arrival")} of its share of the load counted as not started`]),
  ];
  return sentences.length === 0 ? [] : [sentences.join("; ")];
}

const named = (segments: readonly string[], one: string, several: string): string =>
  segments.length === 1 ? `segment ${segments[0]} ${one}` : `segments ${segments.join(", ")} ${several}`;
