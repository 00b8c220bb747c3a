/**
 * Every setting of Assay once: how it is read, its default and what it means. The command line makes its flags, the
 * configuration file its keys and the `ASSAY_*` environment its names from this table. Runs in Node and inside k6.
 *
 * A setting `maxInFlight` is the flag `--max-in-flight`, the variable `ASSAY_MAX_IN_FLIGHT` and the key
 * `max-in-flight`.
 */

import { POLL_INTERVAL_MS } from "../contract/service.ts";
import {
  parseArrival,
  parseBaseUrl,
  parseFactor,
  parseHeaders,
  parseInstant,
  parseMix,
  parseSegment,
  parseSizes,
} from "./parse.ts";
import { parseRates } from "./rates.ts";
import { parseBytes, parseCount, parseDuration, parseShare } from "./units.ts";
import { UsageError } from "./usage-error.ts";

interface Setting<T> {
  readonly read: (text: string) => T;
  /** Written the way a user writes it; absent: the setting has no default. */
  readonly default?: string;
  /** Stands for the value in the help; absent: the setting is a switch. */
  readonly value?: string;
  readonly help: string;
  /** May be given more than once; the texts are joined by commas. */
  readonly repeatable?: boolean;
}

const setting = <T, S extends Omit<Setting<T>, "read">>(read: (text: string) => T, rest: S) => ({ read, ...rest });
const text = (value: string): string => value;
const onOff = (value: string): boolean => {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0" || value === "") return false;
  throw new UsageError(`"${value}" is neither true nor false`);
};
const oneOf =
  <const T extends string>(...choices: readonly T[]) =>
  (value: string): T => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new UsageError(`"${value}" is not one of ${choices.join(", ")}`);
    return choice;
  };

export const SETTINGS = {
  target: setting(parseBaseUrl, { value: "url", help: "base address of the service, to which /v1/… is added" }),
  chatModel: setting(text, { value: "name", default: "assay-chat", help: "model of chat requests" }),
  embeddingModel: setting(text, { value: "name", default: "assay-embedding", help: "model of embedding requests" }),
  videoModel: setting(text, { value: "name", default: "assay-video", help: "model of video requests" }),
  header: setting(parseHeaders, {
    value: "NAME=ENVVAR",
    help: "further request header, its value taken from an environment variable",
    repeatable: true,
  }),
  apiKeyEnv: setting(text, { value: "name", help: "environment variable that holds the API key" }),
  caFile: setting(text, { value: "file", help: "PEM file of certificates to trust besides the system's" }),
  insecure: setting(onOff, { help: "accept any TLS certificate (said in the report)" }),
  seed: setting((value) => parseCount(value, 0), { value: "n", default: "1", help: "seed of every random choice" }),

  rate: setting(parseRates, {
    value: "n",
    help: "a load's arrivals a second in an open loop, such as 20 or 20/s; 10..100 is a ramp, 10,20,40 are steps; a conformance run's most requests a second",
  }),
  vus: setting((value) => parseCount(value), { value: "n", help: "closed loop: users that each start again at once" }),
  arrival: setting(parseArrival, {
    value: "process",
    default: "constant",
    help: "arrival process of an open loop: constant, poisson, gamma:CV, or trace:FILE of recorded arrivals",
  }),
  timeScale: setting(parseFactor, {
    value: "n",
    default: "1",
    help: "speed at which a trace is replayed: 2 is twice as fast",
  }),
  segment: setting(parseSegment, {
    value: "i/n",
    help: "run one part of a load that n machines share, such as 2/4; assay report merges them",
  }),
  startAt: setting(parseInstant, {
    value: "instant",
    help: "when arrivals start, such as 2026-11-21T18:00:00Z, so that segments keep step",
  }),
  duration: setting(parseDuration, {
    value: "time",
    default: "30s",
    help: "measured time; a trace without one is replayed whole",
  }),
  warmup: setting(parseDuration, {
    value: "time",
    default: "5s",
    help: "time before it, measured but left out; a trace has none unless told",
  }),
  drain: setting(parseDuration, { value: "time", default: "30s", help: "time for requests in flight to end" }),
  stall: setting(parseDuration, {
    value: "time",
    default: "10s",
    help: "longest silence within a request; 0: no bound",
  }),
  timeout: setting(parseDuration, { value: "time", default: "120s", help: "longest request; 0: no bound" }),
  maxInFlight: setting((value) => parseCount(value), {
    value: "n",
    default: "200",
    help: "most arrivals under way at once, in an open loop",
  }),
  memoryLimit: setting(parseBytes, {
    value: "size",
    help: "memory of the client from which on garbage is collected, such as 4GiB (default: half of what is available)",
  }),
  maxRequests: setting((value) => parseCount(value), { value: "n", help: "arrivals after which nothing new starts" }),
  records: setting(oneOf("full", "summary"), {
    value: "form",
    default: "full",
    help: "full: every gap between chunks is recorded; summary: a histogram of them, for long runs",
  }),
  maxTokens: setting((value) => parseCount(value), {
    value: "n",
    default: "256",
    help: "max_tokens of chat requests whose trace does not tell",
  }),
  prompts: setting(text, { value: "file", help: "JSONL file of prompts; default: a bundled set" }),
  batchSizes: setting(parseSizes, {
    value: "list",
    default: "1,8,32",
    help: "inputs of an embedding request; the sizes are taken in turn",
  }),
  cancelShare: setting(parseShare, { value: "share", default: "0.2", help: "share of video tasks that are cancelled" }),
  traceparent: setting(onOff, {
    help: "send a W3C traceparent with every request; its trace id is in the record",
  }),
  mix: setting(parseMix, {
    value: "list",
    default: "chat-stream=6,chat=2,embeddings=2",
    help: "weights of the parts of the mixed scenario",
  }),

  slo: setting((value) => value.split(",").map((expression) => expression.trim()), {
    value: "expr",
    help: "what must hold, such as ttft_p95<800ms (default: error_rate<1%)",
    repeatable: true,
  }),

  only: setting(text, { value: "glob", help: "judge only clauses whose id or area matches", repeatable: true }),
  video: setting(onOff, { help: "allow clauses that create video tasks (they may cost money)" }),
  maxVideoJobs: setting((value) => parseCount(value, 0), {
    value: "n",
    default: "8",
    help: "most video tasks that may be created",
  }),
  pollInterval: setting(parseDuration, {
    value: "time",
    default: `${POLL_INTERVAL_MS.min}ms`,
    help: "time between two polls of a video task (the document recommends 5s to 10s)",
  }),
  failingPrompt: setting(text, { value: "text", help: "video prompt that the target's content review rejects" }),
  deadline: setting(parseDuration, { value: "time", help: "end of the whole run; default 10m, with --video 60m" }),
  profile: setting(oneOf("service", "openai"), {
    value: "name",
    default: "service",
    help: "service: the document alone; openai: the compatible interface as well",
  }),
  baseline: setting(text, {
    value: "file",
    help: "YAML list of known failures: clause, reason, expires (a day); one that passes or has expired fails the run",
  }),
  port: setting((value) => parseCount(value, 0), { value: "n", default: "0", help: "port of the mock; 0: a free one" }),
  host: setting(text, { value: "address", default: "127.0.0.1", help: "address that the mock listens on" }),
  timing: setting(text, {
    value: "name",
    default: "fast",
    help: "how long the mock takes: instant, fast, typical, slow",
  }),
  ttft: setting(text, { value: "time", help: "time to the first token, such as 100ms or lognormal:100ms,0.5" }),
  itl: setting(text, { value: "time", help: "time between tokens, such as 20ms or gamma:20ms,2" }),
  outputTokens: setting(text, { value: "n", help: "tokens of a reply, such as 150 or lognormal:150,0.5" }),
  work: setting(text, { value: "time", help: "work of a video task, such as 3s" }),
  tls: setting(onOff, { help: "serve HTTPS and HTTP/2 too, with a CA made for this run (its file is printed)" }),
  slots: setting((value) => parseCount(value), {
    value: "n",
    help: "chats that run at once; more wait, then are refused (default: no bound)",
  }),
  prefill: setting(parseDuration, {
    value: "time",
    help: "with --slots: prefill for each prompt token, default 0.2ms",
  }),
  step: setting(parseDuration, {
    value: "time",
    help: "with --slots: time between tokens of a lone chat, default 20ms",
  }),
  stepGrowth: setting(parseDuration, { value: "time", help: "with --slots: added by each further chat, default 1ms" }),
  queue: setting((value) => parseCount(value, 0), {
    value: "n",
    help: "with --slots: chats that may wait, default 64",
  }),
  busyStatus: setting((value) => parseCount(value), {
    value: "status",
    help: "with --slots: refusal when the queue is full, 429 (default) or 503",
  }),
  behaviour: setting(text, {
    value: "name",
    default: "strict",
    help: "choices of the mock where the document leaves one",
  }),
  fault: setting((value) => value.split(","), {
    value: "name",
    help: "something that the mock does wrong on purpose; see --list-faults",
    repeatable: true,
  }),
  ledger: setting(text, {
    value: "file",
    help: "file of the truth about each request: the mock writes it, a calibration of a target of your own reads it",
  }),

  concurrency: setting((value) => parseCount(value), { value: "n", default: "4", help: "most requests at once" }),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
type Read<N extends SettingName> = ReturnType<(typeof SETTINGS)[N]["read"]>;
/** Values of the settings named `N`; one without a default may be absent. */
export type Values<N extends SettingName> = {
  readonly [K in N as (typeof SETTINGS)[K] extends { default: string } ? K : never]: Read<K>;
} & {
  readonly [K in N as (typeof SETTINGS)[K] extends { default: string } ? never : K]?: Read<K>;
};

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** `maxInFlight` → `max-in-flight`. */
export const settingKey = (name: string): string => words(name);
/** `maxInFlight` → `ASSAY_MAX_IN_FLIGHT`. */
export const settingVariable = (name: string): string => `ASSAY_${words(name).replaceAll("-", "_").toUpperCase()}`;

/**
 * Reads settings from `ASSAY_*` variables; an empty variable counts as absent.
 * @throws UsageError that names the variable when a value cannot be read.
 */
export function readSettings<N extends SettingName>(
  names: readonly N[],
  env: Readonly<Record<string, string | undefined>>,
): Values<N> {
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of names) {
    const entry: Setting<unknown> = SETTINGS[name];
    const given = env[settingVariable(name)];
    const source = given === undefined || given === "" ? entry.default : given;
    if (source === undefined) continue;
    try {
      values[name] = entry.read(source);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(`Cannot read ${settingVariable(name)}: ${reason}.`);
    }
  }
  return values as Values<N>;
}
