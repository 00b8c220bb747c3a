/** A load in words, from the settings that its record holds. */

import type { RecordedSettings } from "../../../formats/records.ts";
import { fileName } from "../../../lib/text.ts";
import { parseArrivalProcess } from "../../../settings/load/arrival-process.ts";
import { formatRates, parseRates } from "../../../settings/load/rates.ts";
import { hasArrivals } from "../../../settings/load/workload.ts";
import { formatDuration } from "../../../settings/units.ts";
import { formatGivenRate } from "../../numbers.ts";
import { areWhole, joined, segmentName } from "./segments.ts";

type Shape = Pick<
  RecordedSettings,
  "vus" | "rate" | "arrival" | "shape" | "duration" | "warmup" | "workload" | "steadyOnly"
>;

type RecordedWorkload = NonNullable<RecordedSettings["workload"]>["workloads"][number];

/** A load such as `10..50/s poisson for 30s (warm-up 5s)`, `5/s for 1m (its steady part alone)`, or `trace of chats.jsonl at 2 times its speed for 1m`. */
function wholeLoad(settings: Shape): string {
  const { duration, warmup, steadyOnly = false } = settings;
  const notes = [
    ...(warmup > 0 ? [`warm-up ${formatDuration(warmup)}`] : []),
    ...(steadyOnly ? ["its steady part alone"] : []),
  ];
  const after = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${loadInWords(settings)} for ${formatDuration(duration)}${after}`;
}

/**
 * The load that shards make up: the whole run when they are all of it, else the segments of it that they are. Merged runs
 * that are not segments are a number of times the same run.
 * @param segments as k6 writes them; undefined for a run of its own
 */
export function describeLoad(settings: Shape, segments: readonly (string | undefined)[]): string {
  const whole = wholeLoad(settings);
  const parts = segments.filter((segment) => segment !== undefined);
  if (parts.length === 0) return segments.length > 1 ? `${segments.length} times ${whole}` : whole;
  if (areWhole(parts)) return whole;
  const all = joined(parts);
  if (all !== undefined && segmentName(all) !== all) return `segment ${segmentName(all)} of ${whole}`;
  return `${parts.length === 1 ? "segment" : "segments"} ${parts.map(segmentName).join(", ")} of ${whole}`;
}

function loadInWords({ vus, rate, arrival, shape, workload }: Shape): string {
  if (workload?.workloads.every(hasArrivals)) return workload.workloads.map(workloadInWords).join(", ");
  if (vus !== undefined) return usersInWords(vus);
  if (arrival?.process === "trace") return traceInWords(arrival);
  return `${shape === undefined ? "" : `${shape}: `}${rateInWords(rate)}/s ${arrival?.process ?? "constant"}${arrival?.cv === undefined ? "" : `:${arrival.cv}`}`;
}

/** `chat 4/s poisson`, `batch 2 users`, `search trace of monday.jsonl`. */
function workloadInWords({ name, settings: { rate, vus, arrival = "constant" } }: RecordedWorkload): string {
  if (rate !== undefined) return `${name} ${rateInWords(rate)}/s ${arrival}`;
  const process = parseArrivalProcess(arrival);
  return `${name} ${process.process === "trace" ? traceInWords(process) : usersInWords(Number(vus))}`;
}

const traceInWords = ({
  file = "",
  speed,
}: {
  readonly file?: string | undefined;
  readonly speed?: number | undefined;
}): string => `trace of ${fileName(file)}${speed === undefined ? "" : ` at ${speed} times its speed`}`;

const rateInWords = (rate: number | string | undefined): string =>
  typeof rate === "string" ? formatRates(parseRates(rate), formatGivenRate) : formatGivenRate(rate ?? Number.NaN);

const usersInWords = (vus: number): string => `${vus} ${vus === 1 ? "user" : "users"}`;
