/** What shapes a load: arrivals, requests, records, objectives. Runs in Node and inside k6, which reads all of these. */

import { POLL_INTERVAL_MS } from "../contract/service.ts";
import { formatArrivalProcess, parseArrivalProcess } from "./arrival-process.ts";
import { CONNECTION_SETTINGS } from "./connection-table.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { formatMix, parseMix } from "./mix.ts";
import { setting } from "./setting.ts";
import { formatDuration, parseBytes, parseCounts, parseFactor, parseShare } from "./units.ts";
import { COUNT, COUNT_OR_ZERO, DURATION, oneOf, RATES, SWITCH, TEXT, TEXTS } from "./values.ts";

/** The objectives of a load for which none is given. */
export const DEFAULT_SLOS = ["error_rate<1%", "ok>=1"] as const;

export const LOAD_SETTINGS = {
  ...CONNECTION_SETTINGS,
  rate: setting(RATES, {
    for: ["load"],
    value: "rate",
    help: "arrivals per second (open loop), such as 20 or 20/s; 10..100 is a ramp, 10,20,40 are steps",
  }),
  vus: setting(COUNT, { for: ["load"], value: "n", help: "concurrent virtual users (closed loop)" }),
  arrival: setting(
    { read: parseArrivalProcess, write: formatArrivalProcess },
    {
      for: ["load"],
      value: "process",
      default: "constant",
      help: "arrival process (open loop): constant, poisson, gamma:CV, or trace:FILE to replay recorded arrivals",
    },
  ),
  timeScale: setting(
    { read: parseFactor },
    { for: ["load"], value: "factor", default: "1", help: "speed at which a trace is replayed; 2 is twice as fast" },
  ),
  startAt: setting(
    { read: parseInstant, write: formatInstant },
    {
      for: ["load"],
      value: "instant",
      help: "when arrivals start, such as 2026-11-21T18:00:00Z, so that all segments start together",
    },
  ),
  duration: setting(DURATION, {
    for: ["load"],
    value: "time",
    default: "30s",
    defaultNote: "30s; a trace is replayed whole",
    help: "measured time",
  }),
  warmup: setting(DURATION, {
    for: ["load"],
    value: "time",
    default: "5s",
    defaultNote: "5s; none for a trace",
    help: "time before the measured time, recorded but left out of the results",
  }),
  drain: setting(DURATION, {
    for: ["load"],
    value: "time",
    default: "30s",
    help: "time for requests in flight to complete after the run",
  }),
  stall: setting(DURATION, {
    for: ["load"],
    value: "time",
    default: "10s",
    help: "abort after this long without data (0 = never)",
  }),
  timeout: setting(DURATION, {
    for: ["load"],
    value: "time",
    default: "120s",
    help: "abort a request that takes longer (0 = never)",
  }),
  maxInFlight: setting(COUNT, {
    for: ["load"],
    value: "n",
    default: "200",
    help: "maximum concurrent requests (open loop)",
  }),
  memoryLimit: setting(
    { read: parseBytes },
    {
      for: ["load"],
      value: "size",
      defaultNote: "half of what is available",
      help: "memory of the load generator at which garbage collection starts, such as 4GiB",
    },
  ),
  maxRequests: setting(COUNT, {
    for: ["load"],
    value: "n",
    help: "stop after N arrivals (a video arrival sends several requests)",
  }),
  records: setting(oneOf("full", "summary"), {
    for: ["load"],
    value: "form",
    default: "full",
    help: "full: record every gap between chunks; summary: record a histogram of them, for long runs",
  }),
  maxTokens: setting(COUNT, {
    for: ["load"],
    value: "n",
    default: "256",
    help: "max_tokens of chat requests; a trace may state its own",
  }),
  prompts: setting(TEXT, { for: ["load"], value: "file", defaultNote: "a bundled set", help: "JSONL file of prompts" }),
  batchSizes: setting(
    { read: parseCounts },
    {
      for: ["load"],
      value: "list",
      default: "1,8,32",
      help: "inputs per embedding request; the sizes are used in turn",
    },
  ),
  cancelShare: setting(
    { read: parseShare },
    { for: ["load"], value: "share", default: "0.2", help: "share of video tasks to cancel" },
  ),
  mix: setting(
    { read: parseMix, write: formatMix },
    {
      for: ["load"],
      value: "list",
      default: "chat-stream=6,chat=2,embeddings=2",
      help: "weights of the parts of the mixed scenario",
    },
  ),
  pollInterval: setting(DURATION, {
    for: ["load", "conformance"],
    value: "time",
    default: formatDuration(POLL_INTERVAL_MS.min),
    help: `time between two polls of a video task (the specification recommends ${formatDuration(POLL_INTERVAL_MS.min)} to ${formatDuration(POLL_INTERVAL_MS.max)})`,
  }),
  traceparent: setting(SWITCH, {
    for: ["load"],
    help: "send a W3C traceparent header with every request and record its trace id",
  }),
  slo: setting(TEXTS, {
    for: ["load"],
    value: "expr",
    defaultNote: DEFAULT_SLOS.join(", "),
    help: "objective, such as ttft_p95<800ms",
    repeatable: true,
  }),
  seed: setting(COUNT_OR_ZERO, {
    for: ["load", "mock"],
    value: "n",
    default: "1",
    help: "seed of every random choice",
  }),
};
