/** A line of `exchanges.jsonl` and its header: one request of a conformance run with its response. */

import { z } from "zod";

export const EXCHANGES_SCHEMA = "assay.exchanges/1";

/**
 * `client`: in recorded traffic, the client left before the response had ended, its request was refused, or the proxy was stopped
 * or failed: nothing of the target's; `machine`: the machine that sent the request lacked something, such as a free source port;
 * `proxy`: the proxy of the environment did not pass the
 * request on; `coding`: a body came whole in a coding that cannot be read.
 */
const FAILURE_KINDS = [
  "refused",
  "reset",
  "timeout",
  "tls",
  "dns",
  "machine",
  "proxy",
  "deadline",
  "client",
  "coding",
  "other",
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const names = z.array(z.string()).readonly().optional();

/** The settings of a conformance run, or of a proxy, as they are written. Members that are not listed are kept. */
export const recordedCheckSettings = z
  .looseObject({
    target: z.string().optional(),
    chatModel: z.string().optional(),
    embeddingModel: z.string().optional(),
    videoModel: z.string().optional(),
    caFile: z.string().optional(),
    clientCert: z.string().optional(),
    clientKey: z.string().optional(),
    resolve: names,
    withoutHeader: names,
    insecure: z.boolean().optional(),
    redactBodies: z.boolean().optional(),
    trace: z.string().optional().describe("file that got the traffic as a trace"),
    tenantHeader: z.string().optional().describe("name of the header that says on whose behalf a request is"),
    only: z.string().optional(),
    profile: z.string().optional(),
    video: z.boolean().optional(),
    maxVideoJobs: z.number().optional(),
    failingPrompt: z.string().optional(),
    deadline: z.number().optional().describe("milliseconds that the whole run may take"),
    concurrency: z.number().optional(),
    maxRate: z.number().optional().describe("maximum requests per second"),
    failOn: z.string().optional(),
    require: names,
    name: z.string().optional().describe("what the run is called"),
    tag: z.record(z.string(), z.string()).optional().describe("tags of the run by their names"),
    baseline: z.string().optional(),
    pollInterval: z.number().optional().describe("milliseconds between two polls of a video task"),
    port: z.number().optional(),
    host: z.string().optional(),
    keyGiven: z.boolean().optional().describe("whether an API key was given"),
    headers: names.describe("names of further request headers"),
    timeoutMs: z.number().optional().describe("milliseconds that one request may take"),
    waitCapMs: z.number().optional().describe("milliseconds that all waits for 429 and 503 may take together"),
    silenceMs: z
      .number()
      .optional()
      .describe("milliseconds after which a run is ended when the target has returned nothing at all"),
    graceMs: z
      .number()
      .optional()
      .describe("milliseconds for which the response to a submission is waited for once the run is ended"),
  })
  .describe("settings of the run, without secrets; durations in milliseconds");
export type RecordedCheckSettings = z.infer<typeof recordedCheckSettings>;

export const exchangesHeader = z.object({
  schema: z.literal(EXCHANGES_SCHEMA),
  target: z.string().describe("base address of the target"),
  settings: recordedCheckSettings.default({}),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  tool: z
    .object({ name: z.string().describe("its name"), version: z.string().describe("its version") })
    .optional()
    .describe("the program that made the file"),
});

const headers = z.record(z.string(), z.string()).describe("headers by name");

const answer = z.object({
  status: z.int().describe("HTTP status"),
  headers,
  body: z.string().describe("the body as text; with `base64`, what of it could be read as UTF-8"),
  base64: z.string().optional().describe("the body's bytes, when they are not UTF-8"),
  truncated: z
    .boolean()
    .describe(
      "the body was longer than the cap, and the rest was not read; in recorded traffic also: there was no room for the bodies, and they were dropped",
    ),
  chunks: z
    .array(
      z.object({
        atMs: z.number().describe("milliseconds from the start of the request"),
        bytes: z.int().describe("bytes that arrived"),
      }),
    )
    .describe(
      "arrivals of the body, in milliseconds from the start of the request; after many, the last stands for all that follow",
    ),
  headersMs: z.number().describe("milliseconds until the headers were read"),
  endMs: z.number().describe("milliseconds until the response ended"),
});
export type Answer = z.infer<typeof answer>;

export const exchangeLine = z.object({
  id: z.int().describe("number of the exchange within the run"),
  probe: z.string().describe("name of the probe that sent it; equal probes have equal names"),
  request: z
    .object({
      method: z.string().describe("HTTP method"),
      url: z.string().describe("address"),
      headers,
      body: z.string().optional().describe("body as text; absent without one"),
      key: z
        .enum(["none", "wrong", "bare"])
        .optional()
        .describe(
          "sent on purpose without a key, with one that nobody was given, or with the key alone, without Bearer",
        ),
      prefix: z
        .literal("none")
        .optional()
        .describe("sent on purpose without the prefix of the paths, to a target that serves none with it"),
    })
    .describe("what was sent"),
  answer: answer.optional().describe("absent when no response began"),
  failure: z
    .object({
      kind: z.enum(FAILURE_KINDS).describe("what kind of failure"),
      message: z.string().describe("what was observed, in a sentence"),
      afterMs: z
        .number()
        .optional()
        .describe("milliseconds from the start of the request to the failure; absent in older records and in traffic"),
    })
    .optional()
    .describe("why there was no response, why it was cut, or why its body cannot be read"),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  resent: z
    .literal(true)
    .optional()
    .describe("an attempt before this one was reset without a response: the target may have acted on it"),
  retried: z
    .literal(true)
    .optional()
    .describe("the response asked to try again later, and the request was repeated: no evidence for any clause"),
  redacted: z
    .literal(true)
    .optional()
    .describe(
      "a secret was taken out of the address, the body or the response: judged again, it may lead to another verdict",
    ),
});
export type Exchange = z.infer<typeof exchangeLine>;
/** The exchanges of one probe in order, retried ones left out. */
export type Exchanges = readonly Exchange[];
