/** Errors explained: what failed, how often, when, for what reason, and what to do where the user can do something. Pure. */

import { STATUS_CODES } from "node:http";
import type { Failure, WarmupFailure } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { shorten } from "../../../lib/text.ts";
import { settingKey } from "../../../settings/setting.ts";
import { formatSeconds } from "../../numbers.ts";
import { ARRIVAL, type FailureGroup, type OpTotal, TASK } from "../read/failed-requests.ts";
import { adviceOn } from "./client-faults.ts";
import { lengthAdvice } from "./input-too-long.ts";
import { contentAdvice } from "./null-content.ts";
import { pageAdvice } from "./refused-by-page.ts";
import { usageAdvice } from "./usage-refused.ts";

/** What a run has to be known of. */
export interface Context {
  /** Instant of second 0, in milliseconds. */
  readonly origin: number;
  /** Arrivals that were due. */
  readonly offered: number;
  /** As the records hold them; absent: not known. */
  readonly settings: Readonly<Record<string, unknown>>;
}

const REASON_LENGTH = 160;

/** What all groups of failures of a run are explained by. */
interface Known {
  readonly groups: readonly FailureGroup[];
  readonly totals: readonly OpTotal[];
  readonly context: Context;
}

const hasWarmupAlone = ({ groups, totals }: Known): boolean => [...groups, ...totals].every(({ warmup }) => warmup);

const mostFrequent = ({ groups }: Known, warmup: boolean): FailureGroup[] =>
  groups.filter((group) => group.warmup === warmup).sort((a, b) => b.count - a.count || a.first - b.first);

/**
 * The failures of a run, the most frequent first. Those of the warm-up count only in a run that has nothing else. Advice is
 * given where every response of the operation was of that kind, or inputs were too long, which others may not be.
 */
export function failuresOf(groups: readonly FailureGroup[], totals: readonly OpTotal[], context: Context): Failure[] {
  const known = { groups, totals, context };
  const warmup = hasWarmupAlone(known);
  return mostFrequent(known, warmup).map((group) => {
    const { op, count } = group;
    const all = op === ARRIVAL || op === TASK ? context.offered : sumOf(totals, "requests", [op], warmup);
    return { ...explained(group, known), share: all > 0 ? Math.min(1, count / all) : 1 };
  });
}

/** The failures of the warm-up of a run that has more than it; how many of its arrivals they are is not counted. */
export function warmupFailuresOf(
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
  context: Context,
): WarmupFailure[] | undefined {
  const known = { groups, totals, context };
  const failed = hasWarmupAlone(known) ? [] : mostFrequent(known, true);
  return failed.length === 0 ? undefined : failed.map((group) => explained(group, known));
}

function explained(group: FailureGroup, { groups, totals, context }: Known): WarmupFailure {
  const { op, outcome, status, clientFault, count, first, last, reason } = group;
  const afterMs = limitOf(group, totals);
  return omitUndefined<WarmupFailure>({
    op,
    outcome,
    status,
    clientFault,
    count,
    firstS: (first - context.origin) / 1_000,
    lastS: (last - context.origin) / 1_000,
    reason: reason === undefined ? undefined : shorten(reason, REASON_LENGTH),
    afterMs,
    advice:
      clientFault === undefined
        ? (limitAdvice(group, afterMs) ??
          adviceOnTarget(group, groups, totals, context) ??
          lengthAdvice(group) ??
          contentAdvice(group) ??
          pageAdvice(group))
        : adviceOn(clientFault),
  });
}

/** What a time limit of a proxy, a gateway or the target makes of requests. */
const CUT_OUTCOMES: readonly string[] = ["truncated", "reset", "no_done"];
const CUT_STATUSES: readonly (number | undefined)[] = [408, 502, 503, 504, 524];

/**
 * What counts as one time: so many failures, not sooner, and nine of ten of them so near to each other. A machine that is busy, or
 * a handshake before the request, scatters also those that a short limit ends.
 */
const ONE_TIME = { fewest: 5, leastMs: 1_000, share: 0.02, scatterMs: 100 };

/** Milliseconds after they were sent at which a time limit seems to have ended requests; undefined where nothing tells of one. */
function limitOf(group: FailureGroup, totals: readonly OpTotal[]): number | undefined {
  const { op, outcome, status, count, first, last, ages: [low = 0, high = 0] = [] } = group;
  const isCut = CUT_OUTCOMES.includes(outcome) || (outcome === "http_error" && CUT_STATUSES.includes(status));
  const longest = Math.max(0, ...totals.flatMap((total) => (total.op === op ? (total.longestOk ?? []) : [])));
  const isOneTime =
    low >= ONE_TIME.leastMs && high - low <= Math.max(ONE_TIME.share * low, ONE_TIME.scatterMs) && longest <= high;
  // Requests that were sent at one time end so also where the target does.
  const isApart = last - first - high > 2 * ONE_TIME.share * high;
  return isCut && count >= ONE_TIME.fewest && isOneTime && isApart ? high : undefined;
}

const limitAdvice = (group: FailureGroup, afterMs: number | undefined): string | undefined =>
  afterMs === undefined
    ? undefined
    : `nearly all ${failureName(group)} requests of ${group.op} ended ${formatSeconds(afterMs / 1_000)} after they were sent: look for a time limit of at most that length, at the target or before it (a proxy, a gateway)`;

/**
 * Why a run says nothing about the target, which refused every request that it answered; undefined for any other run.
 * @returns such as `the target refused every request that it answered (401 unauthorized ×20): check the API key, …`
 */
export function refusalOf(
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
  context: Context,
): string | undefined {
  const refused = groups.filter((group) => isRefusal(group, REFUSALS));
  const count = refused.reduce((sum, group) => sum + group.count, 0);
  const answered = totals.reduce((sum, total) => sum + total.answered, 0);
  if (count === 0 || count < answered) return undefined;
  const byName = new Map<string, number>();
  for (const group of refused) byName.set(failureName(group), (byName.get(failureName(group)) ?? 0) + group.count);
  const kinds = [...byName].map(([name, times]) => `${name} ×${times}`).join(", ");
  return `every request was rejected (${kinds}): ${adviceFor(refused, [], context)}`;
}

/** Statuses by which a target refuses whatever is sent: the key, or the address and the model, are wrong. */
const REFUSALS: readonly number[] = [401, 403, 404];

/** What to do about failures of these kinds, each piece of advice once; undefined where the user can do nothing. */
function adviceFor(
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
  { settings }: Context,
): string | undefined {
  const texts = [
    ...(groups.some((group) => isRefusal(group, [401, 403])) ? [KEY_ADVICE] : []),
    ...(groups.some((group) => isRefusal(group, [404])) ? [addressAdvice(groups, totals, settings)] : []),
    ...groups.flatMap((group) => usageAdvice(group) ?? []),
  ];
  return texts.length === 0 ? undefined : [...new Set(texts)].join("; ");
}

/** A finished video is requested without a key, from anywhere. */
const isRefusal = ({ op, outcome, status }: FailureGroup, statuses: readonly number[]): boolean =>
  op !== "video.fetch" && outcome === "http_error" && statuses.includes(status ?? 0);

const KEY_ADVICE = `check the API key, which is taken from ASSAY_API_KEY or from the variable that ${flag("apiKeyEnv")} names`;

function addressAdvice(
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
  settings: Context["settings"],
): string {
  const ops = groups.map(({ op }) => op);
  const models = MODELS.filter(([prefix]) => ops.some((op) => op.startsWith(prefix))).map(([, setting]) => setting);
  const named = models.map((setting) => given(setting, settings)).join(", ");
  if (groups.every(({ reason = "" }) => models.some((setting) => quotes(reason, settings[setting]))))
    return `the target does not know the model: correct ${named}`;
  // An operation that is served has the same address.
  if (totals.some(({ op, longestOk }) => !ops.includes(op) && longestOk !== undefined))
    return `other requests are served at this address: leave ${[...new Set(ops)].join(", ")} out if the target has none, or correct the model, ${named}`;
  return `check the base address, ${given("target", settings)}, to which /v1/… is added, and the model, ${named}`;
}

/** Whether a target names a model where it says what was wrong: it knows the path, then. */
const quotes = (reason: string, model: unknown): boolean =>
  typeof model === "string" && model !== "" && /\bmodel\b/i.test(reason) && reason.includes(model);

function adviceOnTarget(
  group: FailureGroup,
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
  context: Context,
): string | undefined {
  return isOnlyResponse(group, groups, totals) ? adviceFor([group], totals, context) : undefined;
}

/** Whether every response of the operation, at any time, was of this kind. */
function isOnlyResponse(
  { op, outcome, status }: FailureGroup,
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
) {
  const same = groups.filter((other) => other.op === op && other.outcome === outcome && other.status === status);
  return same.reduce((sum, { count }) => sum + count, 0) >= sumOf(totals, "answered", [op]);
}

const sumOf = (totals: readonly OpTotal[], of: "requests" | "answered", ops: readonly string[], warmup?: boolean) =>
  totals
    .filter((total) => ops.includes(total.op) && (warmup === undefined || total.warmup === warmup))
    .reduce((sum, total) => sum + total[of], 0);

function flag(setting: string): string {
  return `--${settingKey(setting)}`;
}

/** A flag with the value that it had, where that is known. */
const given = (setting: string, settings: Context["settings"]): string =>
  typeof settings[setting] === "string" ? `${flag(setting)} ${settings[setting]}` : flag(setting);

const MODELS: readonly (readonly [prefix: string, setting: string])[] = [
  ["chat", "chatModel"],
  ["embeddings", "embeddingModel"],
  ["video", "videoModel"],
];

/** A kind of failure in words: `401 unauthorized`, or the outcome where the status does not say it, such as `truncated`. */
export function failureName({
  outcome,
  status,
  clientFault,
}: Pick<Failure, "outcome" | "status" | "clientFault">): string {
  if (clientFault !== undefined) return `${outcome} ${clientFault}`;
  if (status === undefined || (outcome !== "http_error" && outcome !== "rate_limited")) return outcome;
  const name = STATUS_CODES[status]?.toLowerCase();
  return name === undefined ? `status ${status}` : `${status} ${name}`;
}

/** When failures of a kind happened. */
export function whenOf({ firstS, lastS }: Pick<Failure, "firstS" | "lastS">): string {
  const [first, last] = [firstS.toFixed(1), lastS.toFixed(1)];
  return first === last ? `at ${first} s` : `from ${first} to ${last} s`;
}
