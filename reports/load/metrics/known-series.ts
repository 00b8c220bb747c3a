/** The gauges by which servers of models tell how busy they are, under one name for each kind. */

/** What a gauge tells, and how several series of one source make one: of ranks and models, or of pods. */
export const ROLES = {
  queue: { title: "waiting requests", combine: "sum", unit: "count" },
  running: { title: "running requests", combine: "sum", unit: "count" },
  cache: { title: "cache usage", combine: "max", unit: "share" },
} as const;

export type Role = keyof typeof ROLES;
export const ROLE_NAMES = ["queue", "running", "cache"] as const satisfies readonly Role[];

interface ServerGauges {
  readonly server: string;
  /** Of several names of one gauge, such as before and after a change, the first that a source has counts. */
  readonly gauges: Readonly<Partial<Record<Role, readonly string[]>>>;
}

export const KNOWN_SERVERS: readonly ServerGauges[] = [
  {
    server: "vLLM",
    gauges: {
      queue: ["vllm:num_requests_waiting"],
      running: ["vllm:num_requests_running"],
      cache: ["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"],
    },
  },
  {
    server: "SGLang",
    gauges: {
      queue: ["sglang:num_queue_reqs", "sglang_num_queue_reqs"],
      running: ["sglang:num_running_reqs", "sglang_num_running_reqs"],
      cache: ["sglang:token_usage", "sglang_token_usage"],
    },
  },
  {
    server: "Text Generation Inference",
    gauges: { queue: ["tgi_queue_size"], running: ["tgi_batch_current_size"] },
  },
  {
    server: "llama.cpp",
    gauges: {
      queue: ["llamacpp:requests_deferred"],
      running: ["llamacpp:requests_processing"],
      cache: ["llamacpp:kv_cache_usage_ratio"],
    },
  },
  {
    server: "llm-d, Gateway API Inference Extension",
    gauges: {
      queue: ["llm_d_epp_average_queue_size", "inference_pool_average_queue_size"],
      running: ["llm_d_epp_average_running_requests", "inference_pool_average_running_requests"],
      cache: ["llm_d_epp_average_kv_cache_utilization", "inference_pool_average_kv_cache_utilization"],
    },
  },
];

const BY_NAME = new Map<string, Role>(
  KNOWN_SERVERS.flatMap(({ gauges }) =>
    ROLE_NAMES.flatMap((role) => (gauges[role] ?? []).map((name) => [name, role] as const)),
  ),
);

/** What a metric of this name tells; undefined when the table does not know it. */
export const roleOf = (name: string): Role | undefined => BY_NAME.get(name);

/** Names that the same gauge has beside this one, of which one counts before it. */
export const namesBefore = (name: string): readonly string[] => {
  for (const { gauges } of KNOWN_SERVERS) {
    for (const names of Object.values(gauges)) if (names.includes(name)) return names.slice(0, names.indexOf(name));
  }
  return [];
};
