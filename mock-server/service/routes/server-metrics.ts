/** `/metrics` of the mock: how busy it is, in the text format of Prometheus and under the names of vLLM. It needs no key. */

import type { PlainResponse } from "../../base/mock-response.ts";
import type { MockContext } from "../mock-context.ts";

export const METRICS_PATH = "/metrics";

/** Gauges as vLLM has them. Without a capacity, no chat waits, and no cache is used. */
export function metrics({ batch, counters }: MockContext): PlainResponse {
  const { started, completed, left } = counters.streams;
  const running = batch?.running ?? started - completed - left;
  const gauges = [
    ["vllm:num_requests_running", "Number of requests in model execution batches.", running],
    ["vllm:num_requests_waiting", "Number of requests waiting to be processed.", batch?.waiting ?? 0],
    [
      "vllm:kv_cache_usage_perc",
      "KV-cache usage. 1 means 100 percent usage.",
      batch ? running / batch.capacity.slots : 0,
    ],
  ] as const;
  const body = gauges
    .map(([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}{engine="0"} ${value}\n`)
    .join("");
  return { status: 200, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, body, atMs: 0 };
}
