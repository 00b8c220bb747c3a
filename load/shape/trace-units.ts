/** In which unit the times of a trace are, where they are numbers: files seldom say it, and layouts differ. Pure. */

import { type TimeUnit, UNIT_MS } from "../../settings/load/arrival-process.ts";
import { BadTrace } from "./trace-rows.ts";

/** A layout of published traces: the members or columns by which it is known, and the unit of its times. */
interface Layout {
  readonly name: string;
  readonly by: readonly string[];
  readonly unit?: TimeUnit;
}

/** The first that fits counts. */
const LAYOUTS: readonly Layout[] = [
  { name: "assay proxy", by: ["timestamp", "operation", "hash_ids"] },
  { name: "Bailian", by: ["chat_id", "parent_chat_id"], unit: "s" },
  { name: "Mooncake", by: ["timestamp", "hash_ids"], unit: "ms" },
  { name: "AIPerf", by: ["timestamp", "text"], unit: "ms" },
  { name: "AIPerf", by: ["timestamp", "texts"], unit: "ms" },
  { name: "AIPerf", by: ["timestamp", "text_input"], unit: "ms" },
  { name: "AIPerf", by: ["timestamp", "session_id"], unit: "ms" },
  { name: "BurstGPT", by: ["Timestamp", "Request tokens", "Response tokens"], unit: "s" },
  { name: "Azure", by: ["TIMESTAMP", "ContextTokens", "GeneratedTokens"] },
];

/** The layout of a file with these members; undefined for one that is not known. */
export const layoutOf = (members: readonly string[]): Layout | undefined =>
  LAYOUTS.find(({ by }) => by.every((name) => members.includes(name)));

/** Numbers from which on a first time is one since 1970: each unit from 2001 on. */
const SINCE_1970: readonly (readonly [unit: TimeUnit, from: number])[] = [
  ["ns", 1e18],
  ["us", 1e15],
  ["ms", 1e12],
  ["s", 1e9],
];

/** The unit of times since 1970 that begin with this one; undefined for times since a start of their own. */
export const unitSince1970 = (first: number): TimeUnit | undefined => SINCE_1970.find(([, from]) => first >= from)?.[0];

/** Mean rates of arrivals that a trace of a service has, per second. */
const LOWEST_RATE = 0.01;
const HIGHEST_RATE = 1_000;

/** The times of a trace, as far as their unit is concerned. */
export interface Times {
  readonly first: number;
  readonly last: number;
  readonly arrivals: number;
}

/**
 * The unit of times that are numbers: that of times since 1970, else seconds or milliseconds, by the mean rate that follows (from 0.01
 * to 1,000 per second). Where both are possible the layout decides.
 * @param expected unit of the layout; absent: it is not known
 * @throws BadTrace where both are possible and no layout is known
 */
export function unitOf({ first, last, arrivals }: Times, expected?: TimeUnit): TimeUnit {
  const since = unitSince1970(first);
  if (since !== undefined) return since;
  if (last === first) return expected ?? "ms";
  const rateIn = (unit: TimeUnit): number => (arrivals - 1) / (((last - first) * UNIT_MS[unit]) / 1_000);
  const possible = (["s", "ms"] as const).filter((unit) => rateIn(unit) >= LOWEST_RATE && rateIn(unit) <= HIGHEST_RATE);
  const [only, other] = possible;
  if (only !== undefined && other === undefined) return only;
  if (expected !== undefined) return expected;
  if (only === undefined) return rateIn("ms") < LOWEST_RATE ? "ms" : "s";
  const rates = possible.map((unit) => `${Number(rateIn(unit).toPrecision(2))} arrivals per second in ${unit}`);
  throw new BadTrace(
    `its times can be seconds or milliseconds (${rates.join(", ")}). Say which they are: --arrival trace:FILE,unit=s or unit=ms`,
  );
}
