/** How long a request that we cut off had lasted: what its latencies are at least. */

import type { RequestRecord } from "../../../formats/records.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";

/** Latencies that grow until something happens. */
const GROWING: readonly MetricName[] = ["ttfb", "ttft", "ttft_any", "ttft_scheduled", "e2e", "e2e_scheduled"];

/** The least that a latency of a request that was cut off can be, in milliseconds; undefined for one that it has not. */
export function lasted(name: MetricName, record: RequestRecord): number | undefined {
  const { ops, of, scheduled } = metric(name);
  if (!GROWING.includes(name) || ops?.includes(record.op) === false) return undefined;
  const seen = of?.(record);
  if (seen !== undefined || !scheduled) return seen ?? record.e2e ?? 0;
  return (record.e2e ?? 0) + readInstant(record.sent) - readInstant(record.scheduled);
}
