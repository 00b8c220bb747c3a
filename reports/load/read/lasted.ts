/** How long a request that we cut off had lasted: what its latencies are at least. */

import type { RequestRecord } from "../../../formats/records.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { readsFirstToken } from "../../../load/spec/leave.ts";
import { readInstant } from "../../../settings/instants.ts";

/** Latencies that grow until something happens. */
const GROWING: readonly MetricName[] = ["ttfb", "ttft", "ttft_any", "ttft_scheduled", "e2e", "e2e_scheduled"];

/** Latencies until the first token or before. */
const UNTIL_FIRST: readonly MetricName[] = ["ttfb", "ttft", "ttft_any", "ttft_scheduled"];

/**
 * Whether a metric of a request whose client was to leave is as if it had stayed. A latency that grows until after it leaves is not,
 * also where the response was complete before: only short ones would count.
 */
export const isKnownOfLeaving = (name: MetricName, { outcome }: RequestRecord, at: string): boolean =>
  GROWING.includes(name) ? UNTIL_FIRST.includes(name) && readsFirstToken(at) : outcome === "ok";

/** The least that a latency of a request that was cut off can be, in milliseconds; undefined for one that it has not. */
export function lasted(name: MetricName, record: RequestRecord): number | undefined {
  const { ops, of, scheduled } = metric(name);
  if (!GROWING.includes(name) || ops?.includes(record.op) === false) return undefined;
  const seen = of?.(record);
  if (seen !== undefined || !scheduled) return seen ?? record.e2e ?? 0;
  return (record.e2e ?? 0) + readInstant(record.sent) - readInstant(record.scheduled);
}
