/** What shapes a load: arrivals, requests, records, objectives. Runs in Node and inside k6, which reads all of these. */

import type { WorkloadKind } from "../../contract/operations.ts";
import { POLL_INTERVAL_MS, VIDEO_ASPECT_RATIOS, VIDEO_DURATIONS, VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import { MADE_CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { CONNECTION_SETTINGS } from "../connection-table.ts";
import { LABEL_SETTINGS } from "../label-table.ts";
import { inGroup, rareSettingFor, settingFor } from "../setting.ts";
import { formatDuration, parseDuration } from "../units.ts";
import {
  BYTES,
  COUNT,
  COUNT_OR_ZERO,
  DURATION,
  FILE,
  FREE_HEADER_NAME,
  INSTANT,
  oneOf,
  SHARE,
  SWITCH,
  texts,
} from "../values.ts";
import { CONFIDENCES } from "./confidence.ts";
import { SHAPE_NAMES, SHAPES_IN_WORDS } from "./load-shapes.ts";
import {
  AMOUNT,
  ARRIVAL,
  CANCEL_POINTS,
  CHARACTERS,
  COUNT_CHOICES,
  choicesOf,
  EXTRA_BODY,
  LEAVE,
  MIX,
  POLL_SCHEDULE,
  PREFIXES,
  PRICES,
  RATES,
  SEGMENT,
  TIMES,
  TOKEN_LENGTHS,
  TOKEN_LIMITS,
  TURNS,
  WORKLOADS,
} from "./load-values.ts";
import { type ModelTexts, modelChoicesOf, modelPart } from "./models.ts";

/** What shapes every single run also shapes those of a search. */
const load = settingFor("load", "search");
const loadOnly = settingFor("load");
const rare = rareSettingFor("load", "search");
const rareLoadOnly = rareSettingFor("load");

const EXPRESSIONS = texts("expr");

/** The objectives of every load, unless `--set no-default-slos` removes them. */
export const DEFAULT_SLOS = ["error_rate<1%", "ok>=1"] as const;

/** The second of them holds for each workload too, and for each model where a workload has several. */
const [, EACH_SLO] = DEFAULT_SLOS;

/** The objectives of a load: the default ones, those that were given, and those of its workloads, with their names. */
export const objectivesOf = ({
  slo = [],
  noDefaultSlos = false,
  workload,
  ...models
}: ModelTexts & {
  readonly slo?: readonly string[] | undefined;
  readonly noDefaultSlos?: boolean | undefined;
  readonly workload?: { readonly title?: string; readonly workloads: readonly JudgedWorkload[] } | undefined;
}): readonly string[] => [
  ...new Set([
    ...(noDefaultSlos ? [] : DEFAULT_SLOS),
    ...(noDefaultSlos || workload === undefined ? [] : defaultsOfEach(workload.workloads, models)),
    ...slo,
    ...(workload === undefined ? [] : workload.workloads.flatMap(objectivesOfWorkload)),
  ]),
];

/** A workload, as far as its objectives are concerned; a record has its settings as texts. */
interface JudgedWorkload {
  readonly name: string;
  readonly operation?: WorkloadKind | undefined;
  readonly settings: ModelTexts & { readonly slo?: string | readonly string[] };
}

/** A tenant has workloads of its own, so that it is not without an `ok` one either. */
function defaultsOfEach(workloads: readonly JudgedWorkload[], load: ModelTexts): readonly string[] {
  const models = workloads
    .flatMap((workload) => modelChoicesOf(workload, load))
    .flatMap((choice) => (choice.length > 1 ? choice.map(({ model }) => modelPart(model)) : []));
  return [...workloads.map(({ name }) => name), ...models].map((part) => `${part}.${EACH_SLO}`);
}

const objectivesOfWorkload = ({ name, settings: { slo = [] } }: JudgedWorkload): readonly string[] =>
  (typeof slo === "string" ? EXPRESSIONS.read(slo) : slo).map((expr) => `${name}.${expr}`);

const DEFAULT_TIMEOUT = "120s";

const ENDS_RUN = "Assay follows it itself, outside k6. Leave it out, or run the load with assay load.";

/** The scenarios that send chats. */
export const CHATS = ["chat-stream", "chat"] as const;

/** How long requests in flight may take after a run: as long as any request, unless something else is given. */
export const drainOf = ({ drain, timeout }: { readonly drain?: number; readonly timeout: number }): number =>
  drain ?? (timeout > 0 ? timeout : parseDuration(DEFAULT_TIMEOUT));

export const LOAD_SETTINGS = {
  ...CONNECTION_SETTINGS,
  ...inGroup("Load", {
    workload: load(
      WORKLOADS,
      "YAML file that describes the load: one workload or more, and common settings; or trace:FILE, all requests of a trace",
    ),
    mix: load(MIX, "weights of the workloads by name, in place of those of their file; others are left out", {
      defaultNote: "of the mixed scenario: chat-stream=6, chat=2, embeddings=2",
    }),
    rate: load(
      RATES,
      "arrivals per second (open loop), such as 20, 20/s or 30/m; 10..100 is a ramp, 10,20,40 are steps; of a search: the first rate",
      { perWorkload: "arrivals" },
    ),
    vus: load(COUNT, "concurrent virtual users (closed loop); of a search: those of the first run", {
      perWorkload: "arrivals",
    }),
    shape: loadOnly(oneOf("name", ...SHAPE_NAMES), `how the rate changes, up to --rate: ${SHAPES_IN_WORDS}`, {
      takenFor: "profile",
    }),
    rampUp: rare(DURATION, "closed loop: time over which the users start, one after another (0 = all at once)", {
      defaultNote: "the warm-up",
      perWorkload: "arrivals",
    }),
    arrival: load(
      ARRIVAL,
      "arrival process (open loop): constant, poisson, gamma:CV, or trace:FILE to replay recorded arrivals, such as trace:FILE,speed=2x,from=10m,to=20m,unit=ms,operation=chat",
      { default: "constant", perWorkload: "arrivals" },
    ),
    startAt: loadOnly(
      INSTANT,
      "when arrivals start, such as 2026-11-21T18:00:00Z, so that all segments start together",
      {
        concerns: "machine",
      },
    ),
    duration: load(DURATION, "measured time", { default: "60s", defaultNote: "60s; a trace is replayed whole" }),
    warmup: load(
      DURATION,
      "time before the measured time, recorded but left out of the results; auto: until the target is steady",
      {
        default: "5s",
        defaultNote: "5s; none for a trace",
        words: { auto: { warmup: "0s", steadyOnly: "true" } },
      },
    ),
    steadyOnly: rareLoadOnly(
      SWITCH,
      "leave out what came before a constant load was steady, at most half of the measured time; warmup auto is this without a warm-up",
    ),
    drain: rare(DURATION, "time for requests in flight to complete after the run", {
      defaultNote: `the value of timeout; ${DEFAULT_TIMEOUT} when that is 0`,
    }),
    maxInFlight: load(COUNT, "maximum concurrent requests (open loop)", { default: "200", perWorkload: "arrivals" }),
    maxRequests: loadOnly(
      COUNT,
      "stop after N measured arrivals; those of the warm-up do not count (a video arrival sends several requests)",
      { perWorkload: "arrivals" },
    ),
  }),
  ...inGroup("Requests", {
    stall: rare(DURATION, "abort a stream silent for this long after its first byte (0 = never)", { default: "10s" }),
    timeout: rare(DURATION, "abort a request that takes longer, whole or streamed (0 = never)", {
      default: DEFAULT_TIMEOUT,
    }),
    maxTokens: load(
      TOKEN_LIMITS,
      "max_tokens of chat requests: one number, or a distribution as for --input-tokens; a trace may state them",
      { default: "256", perWorkload: CHATS, takenFor: "outputTokens" },
    ),
    h2Connections: rare(
      COUNT,
      "over HTTP/2, all requests share N connections, or more where the target allows fewer streams on each",
      {
        defaultNote: "one for each request under way",
      },
    ),
    noUsage: rare(SWITCH, "do not ask for usage in streamed chats (stream_options), for targets that refuse it", {
      perWorkload: CHATS,
    }),
    leave: load(
      LEAVE,
      "close the connection of a share of streamed chats early: 10%@first-token, 10%@50% (of max_tokens) or 10%@2s",
      { perWorkload: ["chat-stream"] },
    ),
    extraBody: rare(
      EXTRA_BODY,
      'further members of chat requests: a JSON object such as {"ignore_eos":true}, or a file that holds one',
      { perWorkload: CHATS },
    ),
    marker: rare(
      SWITCH,
      "ask each chat to begin its response with a marker of its own; a response with that of another request fails (contract)",
      { perWorkload: CHATS },
    ),
    sessionHeader: load(
      FREE_HEADER_NAME,
      "header with the session of each request, for routers that keep a session at one replica",
      { concerns: "target" },
    ),
    traceparent: rare(SWITCH, "send a W3C traceparent header with every request and record its trace id"),
  }),
  ...inGroup("Inputs", {
    prompts: load(FILE, "file of prompts: JSON lines, CSV, Parquet, ShareGPT and other layouts, or a text per line", {
      defaultNote: "a bundled set",
      perWorkload: true,
    }),
    promptsOrder: rare(
      oneOf("order", "shuffle", "sequential"),
      "order in which the prompts of a file are sent; each is sent once before any is sent again",
      { defaultNote: "shuffle", perWorkload: true },
    ),
    uniquePrompts: rare(
      SWITCH,
      "begin each prompt of a file with ten digits of its own (4 to 10 tokens), so that no cache of prompts answers it",
      { defaultNote: "true of the bundled set, false of --prompts", perWorkload: true },
    ),
    unusablePrompts: rare(SHARE, "share of the entries of a file of prompts that may be unusable and are left out", {
      defaultNote: "1%",
      concerns: "machine",
    }),
    inputTokens: load(
      TOKEN_LENGTHS,
      "make prompts of N tokens: 512, uniform:100,900, normal:512,128, lognormal:512,0.5 or histogram:FILE",
      { perWorkload: true },
    ),
    sharedPrefixTokens: rare(
      PREFIXES,
      "with --input-tokens: begin each prompt with a text of this many tokens; 1000x4: with one of four such texts; 50%:1000x4: half of the prompts",
      {
        perWorkload: true,
        needs: {
          setting: "inputTokens",
          reason:
            "shared-prefix-tokens is set without input-tokens. Set input-tokens too, the length of what follows the prefix",
        },
      },
    ),
    prime: rare(
      SWITCH,
      "before the load, send each text of shared-prefix-tokens once, so that a cache of prefixes has it",
      {
        perWorkload: CHATS,
        needs: {
          setting: "sharedPrefixTokens",
          reason: "prime is set without shared-prefix-tokens, whose texts it sends. Set shared-prefix-tokens too",
        },
      },
    ),
    tokenizer: rare(FILE, "tokenizer.json of the model (Hugging Face), to count the tokens of made prompts", {
      defaultNote: "none: characters-per-token counts",
    }),
    charactersPerToken: rare(
      CHARACTERS,
      "without a tokenizer: characters per token of made prompts; a report names the number that fits the target",
      { default: String(MADE_CHARACTERS_PER_TOKEN) },
    ),
    turns: load(TURNS, "make an arrival of a chat a conversation of N requests, such as 4 or 2..6", {
      perWorkload: CHATS,
    }),
    thinkTime: rare(
      TIMES,
      "with --turns: time from a response to the next turn, such as 2s, uniform:1s,9s or lognormal:5s,1",
      {
        default: "0s",
        perWorkload: CHATS,
        needs: {
          setting: "turns",
          reason: "think-time is set without turns, between which it is spent. Set turns too, such as 2..6",
        },
      },
    ),
    contextLimit: rare(COUNT, "with --turns: end a conversation that would have more tokens than this", {
      default: "32768",
      perWorkload: CHATS,
      needs: {
        setting: "turns",
        reason: "context-limit is set without turns, which it limits. Set turns too, such as 2..6",
      },
    }),
    batchSizes: rare(COUNT_CHOICES, "inputs per embedding request: used in turn, or by weight such as 1=7,8=3", {
      default: "1,8,32",
      perWorkload: ["embeddings"],
    }),
  }),
  ...inGroup("Video tasks", {
    cancelShare: rare(SHARE, "share of video tasks to cancel", { default: "0.2", perWorkload: ["video"] }),
    cancelAt: rare(
      CANCEL_POINTS,
      "when to cancel them: at-once, processing (when a poll shows it), a progress such as 50%, or a time such as 20s; several are drawn per task",
      { default: "processing", perWorkload: ["video"] },
    ),
    videoDurations: rare(
      choicesOf(...VIDEO_DURATIONS),
      "duration of videos in seconds: used in turn, or by weight such as 5=7,10=3",
      { defaultNote: "that of the service", perWorkload: ["video"] },
    ),
    videoResolutions: rare(
      choicesOf(...VIDEO_RESOLUTIONS),
      "resolution of videos: used in turn, or by weight such as 720p=9,1080p=1",
      { defaultNote: "that of the service", perWorkload: ["video"] },
    ),
    videoAspectRatios: rare(
      choicesOf(...VIDEO_ASPECT_RATIOS),
      "aspect ratio of videos: used in turn, or by weight such as 16:9=3,9:16=1",
      { defaultNote: "that of the service", perWorkload: ["video"] },
    ),
    taskTimeout: rare(DURATION, "cancel a video task that takes longer (0 = never)", {
      default: "10m",
      perWorkload: ["video"],
    }),
    fetchVideo: rare(
      oneOf("how", "head", "full"),
      "request each completed video at its video_url, without the API key: head (its size), or full (all of it, not kept)",
      { defaultNote: "no video is requested", perWorkload: ["video"] },
    ),
    pollInterval: settingFor("load", "search", "conformance")(
      DURATION,
      `time between two polls of a video task (the specification recommends ${formatDuration(POLL_INTERVAL_MS.min)} to ${formatDuration(POLL_INTERVAL_MS.max)})`,
      { default: formatDuration(POLL_INTERVAL_MS.min), perWorkload: ["video"] },
    ),
    pollSchedule: rare(
      POLL_SCHEDULE,
      "when to poll a video task: fixed, jitter:20% around that time, or backoff:2,60s, each wait N times the last",
      { default: "fixed", perWorkload: ["video"] },
    ),
  }),
  ...inGroup("Objectives", {
    slo: load(EXPRESSIONS, `objective, such as ttft_p95<800ms, in addition to ${DEFAULT_SLOS.join(" and ")}`, {
      repeatable: true,
      concerns: "objectives",
      perWorkload: true,
    }),
    noDefaultSlos: rare(SWITCH, `leave out the objectives ${DEFAULT_SLOS.join(" and ")}`, { concerns: "objectives" }),
    confidence: rare(
      oneOf("share", ...CONFIDENCES),
      "confidence of a verdict on a share or a percentile: 95%, 99%, or none (the figure of this run decides, chance included)",
      { default: "95%", concerns: "objectives" },
    ),
    abortOn: load(
      texts("expr"),
      "end the run when this holds over a time, such as 'error_rate>20% over 10s' or 'ttft_p99>5s over 30s'",
      { repeatable: true, concerns: "machine", besideK6: ENDS_RUN },
    ),
    abortWhenGone: rare(DURATION, "end the run when the target has not responded for this long (0 = never)", {
      default: "30s",
      concerns: "machine",
      besideK6: ENDS_RUN,
    }),
    maxCost: loadOnly(
      AMOUNT,
      "end the run when it has cost this much, requests in flight included, in the currency of prices",
      { concerns: "machine", besideK6: ENDS_RUN },
    ),
    maxTokensTotal: loadOnly(
      COUNT,
      "end the run after this many input and output tokens, requests in flight included",
      { concerns: "machine", besideK6: ENDS_RUN },
    ),
    check: load(
      SHARE,
      "share of arrivals whose exchanges are checked against the specification after the run, such as 1%; a violation is exit code 1",
      {
        defaultNote: "none",
        concerns: "objectives",
        besideK6:
          "Assay checks exchanges while the k6 that it started passes them on. Check the target with assay conformance.",
      },
    ),
    prices: rare(
      PRICES,
      "what requests cost: prices per million tokens, per request and per second of a video, as a map or a file that holds one (docs/cost.md)",
      { defaultNote: "none: no cost is given", concerns: "objectives" },
    ),
    canary: loadOnly(
      FILE,
      "file of a few prompts: their responses during the load are compared with those before it (canary_changed<5%)",
      {
        defaultNote: "none",
        concerns: "objectives",
        besideK6:
          "Assay sends canary prompts itself, while the k6 that it started runs. Leave it out, or run the load with assay load.",
      },
    ),
  }),
  ...inGroup("Load generator", {
    segment: loadOnly(
      SEGMENT,
      "run one part of a load that n machines or clusters share, such as 2/4; assay report merges them",
      { concerns: "machine" },
    ),
    memoryLimit: rare(
      BYTES,
      "memory limit of the load generator, such as 4GiB; a run that needs more is CLIENT-LIMITED",
      {
        defaultNote: "half of what is available",
        concerns: "machine",
      },
    ),
    records: load(
      oneOf("form", "full", "summary"),
      "full: record every gap between chunks; summary: record a histogram of them, for long runs",
      { default: "full", concerns: "machine" },
    ),
  }),
  seed: settingFor("load", "search", "mock")(COUNT_OR_ZERO, "seed of every random choice", {
    default: "1",
    concerns: "chance",
  }),
  promptSeed: rare(COUNT_OR_ZERO, "a second seed, of the text of prompts only", {
    defaultNote: "a new one for each run; none with --seed, which sends the same bytes each time",
    concerns: "chance",
  }),
  ...LABEL_SETTINGS,
};
