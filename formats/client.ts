/** A line of `client.jsonl`: the health of the load generator, once per second. Unknown members are ignored. */

import { z } from "zod";

const number = z.number().optional();
const perPhase = z.object({ warmup: z.number().default(0), measure: z.number().default(0) });

/** Requests and arrivals count from the start of the run; `cpu` (in cores) and garbage collection, since the previous line. */
export const clientLine = z.object({
  /** Seconds since the `startedAt` of the records. */
  t: z.number(),
  cpu: number,
  cpus: number,
  rss_mb: number,
  heap_mb: number,
  /** Heap size below which no garbage is collected; absent without such a limit, and after it was dropped. */
  memory_limit_mb: number,
  gc_cycles: number,
  gc_pause_ms: number,
  gc_cpu_ms: number,
  /** How long the threads of the load generator waited for a CPU, in total. */
  run_delay_ms: number,
  /** How often the CPU limit of its control group throttled it. */
  throttled: number,
  wake_p99_ms: number,
  /** Wake-up latency of a probe that sleeps and is woken as the reader of a socket is: every sample, ascending. */
  wakes_us: z.array(z.number()).optional(),
  open: number,
  in_flight_limit: number,
  lag_p99_ms: number,
  offered: perPhase,
  started: perPhase,
  completed: number,
  ok: number,
  outcomes: z.record(z.string(), z.number()).optional(),
  connections_opened: number,
  ttft_p50_ms: number,
  e2e_p50_ms: number,
  /** When the first arrival could be due. */
  schedule_started_at: z.string().optional(),
  final: z.boolean().optional(),
  /** On the final line: how many records were written, and what prevented more. */
  records: number,
  error: z.string().optional(),
  /** On the final line: what ended the run before its time. */
  stopped: z.string().optional(),
});
export type ClientLine = z.infer<typeof clientLine>;
