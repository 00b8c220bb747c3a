/**
 * Probes: what is sent to the target, as data. Probes of equal content have equal names, are executed once a run and
 * are shared by all clauses that look at them.
 */

import { API_PREFIX } from "../../contract/service.ts";
import { fnv1a } from "../../lib/hash.ts";
import { canonical, type JsonObject } from "../../lib/json.ts";

/** Stands in a request body for a setting; the names are those of the specification of the service. */
export const PLACEHOLDERS = {
  chatModel: "<model_name>",
  embeddingModel: "<embedding_model_name>",
  videoModel: "<video_model_name>",
  failingPrompt: "<failing_prompt>",
} as const;

/** Tokens of a reply that is enough to be judged, whatever the model: one that does not stop by itself takes minutes. */
export const SHORT_REPLY_TOKENS = 16;

/** How a request departs from the specification on purpose. */
export interface Tweaks {
  /** The key that it carries. */
  readonly key?: "none" | "wrong" | "bare";
  /** How the name of the header with the key is written, in place of lower case. */
  readonly keyName?: string;
  /** Left out instead of application/json. */
  readonly contentType?: "none";
  /** Tells probes of equal content apart, so that a request is sent again. */
  readonly repeat?: number;
  /** Sent as it is in place of the body. */
  readonly raw?: string;
}

/** What the specification states of every request, and what a target may refuse: one clause says so, and the others are judged without it. */
export const LEFT_OUT = { prefix: "the prefix", bearer: "Bearer", maxTokens: "max_tokens" } as const;
export type LeftOut = keyof typeof LEFT_OUT;

interface Base extends Tweaks {
  readonly name: string;
  /** What it is sent without, to a target that refuses that. */
  readonly without?: LeftOut;
}

/** One request without lasting effect. */
export interface RequestProbe extends Base {
  readonly kind: "request";
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: JsonObject;
  /** May take as long as half of the run. */
  readonly isPatient?: true;
  /** Sent only when a key was given and the response to this probe was 401. */
  readonly afterRefused?: RequestProbe;
}

/** What is done with a task after its submission was accepted; `poll-at-once` is a poll without the interval, `-unkeyed` without a key. */
export type Step =
  | "poll"
  | "poll-at-once"
  | "poll-unkeyed"
  | "poll-to-end"
  | "cancel"
  | "cancel-unkeyed"
  | "wait-past-end";

/** A submission of a video task and what follows when it is accepted; costs a video job. */
export interface TaskProbe extends Base {
  readonly kind: "task";
  readonly body: JsonObject;
  readonly steps: readonly Step[];
  /** Lower goes first, as long as the budget of video jobs lasts. */
  readonly order: number;
  /** Submitted again when the task ended before it could be cancelled. */
  readonly retryIfEnded?: true;
  /** A job that holds this one's fields among others; accepted, it stands for this one, which is then not sent. */
  readonly packedIn?: TaskProbe;
  /** Made only when this setting is given. */
  readonly onlyWith?: "failingPrompt";
}

export type Probe = RequestProbe | TaskProbe;

/** A request probe; its name is made from its content. */
export function request(
  method: "GET" | "POST",
  path: string,
  body: JsonObject | undefined,
  tweaks: Tweaks = {},
): RequestProbe {
  const content = { method, path, ...(body === undefined ? {} : { body }), ...tweaks };
  return { kind: "request", name: nameOf(`${method} ${path}`, body, tweaks), ...content };
}

/** The same request, `count` times more. */
export const repeated = (probe: Probe, count: number): readonly Probe[] =>
  Array.from({ length: count }, (_, i) => ({
    ...probe,
    name: `${probe.name} repeat=${i + 1}`,
    repeat: i + 1,
  }));

/** A task probe; its name is made from its content. */
export function task(path: string, probe: Omit<TaskProbe, "kind" | "name">): TaskProbe {
  const { key, contentType, steps, body } = probe;
  const tweaks = { ...(key && { key }), ...(contentType && { contentType }) };
  return { kind: "task", name: nameOf(`POST ${path} then ${steps.join(", ")}`, body, tweaks), ...probe };
}

const WITHOUT = new RegExp(`, without (?:${Object.values(LEFT_OUT).join("|")})$`);

/** The name of a probe as the specification has it, of one that is sent without something. */
export const plainName = (name: string): string => name.replace(WITHOUT, "");

/** A probe that is sent without something; undefined for one that is about that. */
export function sentWithout<P extends Probe>(probe: P, without: LeftOut): P | undefined {
  const { max_tokens: limit, ...others } = probe.body ?? {};
  const isLimited = without === "maxTokens" && limit !== undefined;
  if (without === "prefix" && probe.kind === "request" && !probe.path.startsWith(API_PREFIX)) return probe;
  if (isLimited && limit !== SHORT_REPLY_TOKENS) return undefined;
  const before = probe.kind === "request" ? probe.afterRefused : undefined;
  const packed = probe.kind === "task" ? probe.packedIn : undefined;
  return {
    ...probe,
    name: `${probe.name}, without ${LEFT_OUT[without]}`,
    without,
    ...(isLimited && { body: others }),
    ...(before && { afterRefused: sentWithout(before, without) }),
    ...(packed && { packedIn: sentWithout(packed, without) }),
  };
}

const LONG = 160;

function nameOf(title: string, body: JsonObject | undefined, tweaks: Tweaks): string {
  const text = body === undefined ? "" : ` ${canonical(body)}`;
  const asked = Object.entries(tweaks).map(([name, value]) => ` ${name}=${value}`);
  return `${title}${text.length > LONG ? `${text.slice(0, LONG)}… ${text.length} ${fingerprint(text)}` : text}${asked.join("")}`;
}

/** Tells long bodies of equal beginning apart. */
const fingerprint = (text: string): string => fnv1a(text).toString(16);
