/** What shapes a load: arrivals, requests, records, objectives. Runs in Node and inside k6, which reads all of these. */

import { POLL_INTERVAL_MS } from "../contract/service.ts";
import { CONNECTION_SETTINGS } from "./connection-table.ts";
import { settingFor } from "./setting.ts";
import { formatDuration, parseDuration } from "./units.ts";
import {
  ARRIVAL,
  BYTES,
  COUNT,
  COUNT_OR_ZERO,
  COUNTS,
  DURATION,
  EXTRA_BODY,
  FACTOR,
  INSTANT,
  MIX,
  oneOf,
  RATES,
  SHARE,
  SWITCH,
  text,
  texts,
} from "./values.ts";

const load = settingFor("load");

/** The objectives of every load, unless `--no-default-slos` removes them. */
export const DEFAULT_SLOS = ["error_rate<1%", "ok>=1"] as const;

/** The objectives of a load: the default ones, and those that were given. */
export const objectivesOf = ({
  slo = [],
  noDefaultSlos = false,
}: {
  readonly slo?: readonly string[] | undefined;
  readonly noDefaultSlos?: boolean | undefined;
}): readonly string[] => [...new Set([...(noDefaultSlos ? [] : DEFAULT_SLOS), ...slo])];

const DEFAULT_TIMEOUT = "120s";

/** How long requests in flight may take after a run: as long as any request, unless something else is given. */
export const drainOf = ({ drain, timeout }: { readonly drain?: number; readonly timeout: number }): number =>
  drain ?? (timeout > 0 ? timeout : parseDuration(DEFAULT_TIMEOUT));

export const LOAD_SETTINGS = {
  ...CONNECTION_SETTINGS,
  rate: load(RATES, "arrivals per second (open loop), such as 20 or 20/s; 10..100 is a ramp, 10,20,40 are steps"),
  vus: load(COUNT, "concurrent virtual users (closed loop)"),
  arrival: load(
    ARRIVAL,
    "arrival process (open loop): constant, poisson, gamma:CV, or trace:FILE to replay recorded arrivals",
    { default: "constant" },
  ),
  timeScale: load(FACTOR, "speed at which a trace is replayed; 2 is twice as fast", { default: "1" }),
  startAt: load(INSTANT, "when arrivals start, such as 2026-11-21T18:00:00Z, so that all segments start together"),
  duration: load(DURATION, "measured time", { default: "60s", defaultNote: "60s; a trace is replayed whole" }),
  warmup: load(DURATION, "time before the measured time, recorded but left out of the results", {
    default: "5s",
    defaultNote: "5s; none for a trace",
  }),
  drain: load(DURATION, "time for requests in flight to complete after the run", {
    defaultNote: `the value of timeout; ${DEFAULT_TIMEOUT} when that is 0`,
  }),
  stall: load(DURATION, "abort a stream silent for this long after its first byte (0 = never)", { default: "10s" }),
  timeout: load(DURATION, "abort a request that takes longer, whole or streamed (0 = never)", {
    default: DEFAULT_TIMEOUT,
  }),
  maxInFlight: load(COUNT, "maximum concurrent requests (open loop)", { default: "200" }),
  memoryLimit: load(
    BYTES,
    "memory that the load generator should not exceed, such as 4GiB; a run that needs more is CLIENT-LIMITED",
    {
      defaultNote: "half of what is available",
    },
  ),
  maxRequests: load(
    COUNT,
    "stop after N measured arrivals; those of the warm-up do not count (a video arrival sends several requests)",
  ),
  records: load(
    oneOf("form", "full", "summary"),
    "full: record every gap between chunks; summary: record a histogram of them, for long runs",
    { default: "full" },
  ),
  maxTokens: load(COUNT, "max_tokens of chat requests; a trace may state its own", { default: "256" }),
  noUsage: load(SWITCH, "do not ask for usage in streamed chats (stream_options), for targets that refuse it"),
  extraBody: load(
    EXTRA_BODY,
    'further members of chat requests: a JSON object such as {"ignore_eos":true}, or a file that holds one',
  ),
  prompts: load(text("file"), "JSONL file of prompts", { defaultNote: "a bundled set" }),
  batchSizes: load(COUNTS, "inputs per embedding request; the sizes are used in turn", { default: "1,8,32" }),
  cancelShare: load(SHARE, "share of video tasks to cancel", { default: "0.2" }),
  mix: load(MIX, "weights of the parts of the mixed scenario", { default: "chat-stream=6,chat=2,embeddings=2" }),
  taskTimeout: load(DURATION, "give up a video task that takes longer, and cancel it (0 = never)", { default: "10m" }),
  pollInterval: settingFor("load", "conformance")(
    DURATION,
    `time between two polls of a video task (the specification recommends ${formatDuration(POLL_INTERVAL_MS.min)} to ${formatDuration(POLL_INTERVAL_MS.max)})`,
    { default: formatDuration(POLL_INTERVAL_MS.min) },
  ),
  traceparent: load(SWITCH, "send a W3C traceparent header with every request and record its trace id"),
  slo: load(texts("expr"), `objective, such as ttft_p95<800ms, besides ${DEFAULT_SLOS.join(" and ")}`, {
    repeatable: true,
  }),
  noDefaultSlos: load(SWITCH, `leave out the objectives ${DEFAULT_SLOS.join(" and ")}`),
  seed: settingFor("load", "mock")(COUNT_OR_ZERO, "seed of every random choice", { default: "1" }),
};
