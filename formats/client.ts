/** A line of `client.jsonl`: the health of the load generator, once per second. Unknown members are ignored. */

import { z } from "zod";
import { optional } from "./members.ts";

const arrivals = z.int().min(0).default(0);
const perPhase = z.object({
  warmup: arrivals.describe("of the warm-up"),
  measure: arrivals.describe("of the measured phase"),
});
/** Longest run that is taken for one, in seconds: about three years. */
const LONGEST_S = 1e8;

/** Requests and arrivals count from the start of the run; `cpu` and garbage collection, since the previous line. */
export const clientLine = z.object({
  t: z.number().min(0).max(LONGEST_S).describe("seconds since the startedAt of the records"),
  cpu: optional.describe("CPU cores used since the previous line"),
  cpus: optional.describe("CPU cores available"),
  rss_mb: optional.describe("memory of the process, in megabytes"),
  heap_mb: optional.describe("live heap, in megabytes"),
  gc_cycles: optional.describe("collections of garbage since the previous line"),
  gc_pause_ms: optional.describe("time for which they stopped the process"),
  memory_limit_mb: optional.describe(
    "memory below which garbage is collected in idle moments; absent without such a limit, and after it was reached and dropped",
  ),
  gc_cpu_ms: optional.describe("CPU time of the garbage collector"),
  run_delay_ms: optional.describe("how long the threads waited for a CPU, in total"),
  throttled: optional.describe("how often the CPU limit of the control group throttled the process"),
  wake_p50_ms: optional.describe("median of the wake-up latency"),
  wake_p99_ms: optional.describe("99th percentile of the wake-up latency"),
  wake_max_ms: optional.describe("maximum of the wake-up latency"),
  wakes_us: z
    .array(z.number())
    .optional()
    .describe(
      "wake-up latency of a probe that sleeps and is woken as the reader of a socket is: every sample, ascending",
    ),
  open: optional.describe("requests in flight"),
  in_flight_limit: optional.describe("as many requests can be in flight"),
  lag_p99_ms: optional.describe("99th percentile of the schedule lag"),
  offered: perPhase.describe("arrivals that were scheduled until then"),
  started: perPhase.describe("arrivals that started"),
  ended: z
    .array(z.int().min(0))
    .optional()
    .describe("numbers of the arrivals that ended since the previous line, as in their records"),
  completed: optional.describe("requests that ended, with any outcome"),
  ok: optional.describe("requests with the outcome ok"),
  answered: optional.describe("requests that ended and had a response, whole or not"),
  outcomes: z.record(z.string(), z.number()).optional().describe("requests that ended, per outcome"),
  connections_opened: optional.describe("connections opened"),
  packets: optional.describe("packets with data that came over them; absent where the system does not tell"),
  packets_out_of_order: optional.describe("those that came before an earlier one, which was lost or late"),
  packets_sent_again: optional.describe("packets sent again that had not arrived, also to open a connection"),
  round_trip_ms: optional.describe(
    "the least time from a packet to its confirmation: between this machine and what its connections lead to",
  ),
  ttft_p50_ms: optional.describe("median time to first token, for the progress line"),
  e2e_p50_ms: optional.describe("median end-to-end latency, for the progress line"),
  target_clock_ms: z
    .tuple([z.number(), z.number()])
    .optional()
    .describe(
      "how far the clock of the target is ahead of this machine's, at least and at most, by the Date of its responses; crossed where those are of several clocks",
    ),
  schedule_started_at: z.string().optional().describe("when the schedule of arrivals began"),
  final: z.boolean().optional().describe("true on the last line, which also has the members below"),
  records: z.int().min(0).optional().describe("records written"),
  error: z.string().optional().describe("what prevented more records"),
  stopped: z.string().optional().describe("what ended the run before its time"),
});
export type ClientLine = z.infer<typeof clientLine>;
