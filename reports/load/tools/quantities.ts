/** What tools measure of a streamed chat, each once: as numbers, and in words for the reason why a figure differs. Pure. */

import type { RequestRecord } from "../../../formats/records.ts";
import { UNPACED } from "../../../load/objectives/metrics.ts";

interface QuantityOf {
  /** What is measured, so that "…, not …" can follow. */
  readonly words: string;
  /** In milliseconds; undefined: this request has none. */
  readonly of: (request: RequestRecord) => number | readonly number[] | undefined;
  /** Needs the times of single chunks, which `--records summary` leaves out, and which are not recorded of reasoning. */
  readonly ofGaps?: true;
}

const firstAny = ({ ttft_any, ttft }: RequestRecord): number | undefined => ttft_any ?? ttft;

/** Until the last event with content; undefined without content. */
function lastContent({ ttft, ttlt, gaps_us }: RequestRecord): number | undefined {
  if (ttft === undefined) return undefined;
  return ttlt ?? ttft + (gaps_us ?? []).reduce((sum, gap) => sum + gap, 0) / 1_000;
}

const lastAny = (request: RequestRecord): number | undefined => request.ttlt_any ?? lastContent(request);

/** The first or the last of several times, as far as they are known. */
const earliest = (...times: readonly (number | undefined)[]) => pick(Math.min, times);
const latest = (...times: readonly (number | undefined)[]) => pick(Math.max, times);
function pick(choose: (...times: number[]) => number, times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : choose(...known);
}

type Events = RequestRecord["empties"];
const firstOf = (events: Events): number | undefined => events && events[1] / 1_000;
const lastOf = (events: Events): number | undefined => events && events[2] / 1_000;

const firstToken = (request: RequestRecord) => earliest(firstAny(request), firstOf(request.blanks));
const lastToken = (request: RequestRecord) => latest(lastAny(request), lastOf(request.blanks));
const firstEvent = (request: RequestRecord) => earliest(firstAny(request), firstOf(request.empties));
export const hasUsage = ({ token_source }: RequestRecord): boolean => token_source === "usage";
/** A usage without a time of its own came in the read of `[DONE]`. */
const usageAt = (request: RequestRecord): number | undefined =>
  request.usage_at ?? (hasUsage(request) ? request.done : undefined);
const lastEventOrUsage = (request: RequestRecord) =>
  latest(lastAny(request), lastOf(request.empties), usageAt(request));
const usageOrDone = (request: RequestRecord) => usageAt(request) ?? request.done ?? request.e2e;

/** Output tokens as usage has them, else one per event with content. */
export const tokens = ({ output_tokens, chunks }: RequestRecord): number => output_tokens ?? chunks ?? 0;

/** Those of the text, which a tool counts that has its own tokenizer. */
const textTokens = (request: RequestRecord): number => Math.max(0, tokens(request) - (request.reasoning_tokens ?? 0));

function perToken(from: number | undefined, to: number | undefined, count: number): number | undefined {
  return from === undefined || to === undefined || count < 2 ? undefined : (to - from) / (count - 1);
}

/** Assay's own `tpot`, as `reports/tables/metric-sql.ts` has it. */
function timePerOutputToken(request: RequestRecord): number | undefined {
  const { ttft, ttft_any, ttlt_any, chunks = 0, flags } = request;
  if (flags?.some((flag) => UNPACED.includes(flag))) return undefined;
  if (ttft_any !== undefined && ttlt_any !== undefined && hasUsage(request)) {
    return perToken(ttft_any, ttlt_any, tokens(request));
  }
  return chunks < 2 ? undefined : perToken(ttft, lastContent(request), textTokens(request));
}

/** The gaps between the events with content and those other events. */
function gapsWith(request: RequestRecord, events: Events): number[] | undefined {
  const { ttft, gaps_us = [] } = request;
  if (ttft === undefined) return undefined;
  let at = ttft * 1_000;
  const times = [at, ...gaps_us.map((gap) => (at += gap))];
  if (events !== undefined) times.push(events[1], ...(events[0] > 1 ? [events[2]] : []));
  times.sort((a, b) => a - b);
  return times.slice(1).map((time, index) => (time - (times[index] ?? time)) / 1_000);
}

/** The gaps between chunks, with a gap of 0 between the tokens of one chunk. */
function gapsOfTokens(request: RequestRecord): number[] | undefined {
  const gaps = gapsWith(request, undefined);
  const chunks = request.chunks ?? 0;
  return gaps && [...gaps, ...Array.from({ length: Math.max(0, textTokens(request) - chunks) }, () => 0)];
}

export const QUANTITIES = {
  ttft: { words: "until the first event with content", of: ({ ttft }) => ttft },
  e2e: { words: "until the last byte of the response", of: ({ e2e }) => e2e },
  tpot: {
    words:
      "from the first to the last event with content, divided by the tokens of the content, without streams that came at once",
    of: timePerOutputToken,
  },
  icl: {
    words: "between events with content, without streams that came at once",
    of: (request) => (request.flags?.includes("buffered") ? undefined : gapsWith(request, undefined)),
    ofGaps: true,
  },
  headers: { words: "until the first byte of the response", of: ({ ttfb }) => ttfb },
  "first-any": { words: "until the first event with content or reasoning", of: firstAny },
  "first-of-several": {
    words: "until the first event with content, of requests with more than one token",
    of: (request) => (textTokens(request) > 1 ? request.ttft : undefined),
  },
  "first-token": {
    words: "until the first event with content, reasoning, or an empty content without a role",
    of: firstToken,
  },
  "first-event": { words: "until the first event with choices, which may hold a role and no content", of: firstEvent },
  "last-any": { words: "until the last event with content or reasoning", of: lastAny },
  "last-token": {
    words: "until the last event with content, reasoning, or an empty content without a role",
    of: lastToken,
  },
  "last-event": { words: "until the last event with choices or usage", of: lastEventOrUsage },
  done: { words: "until [DONE]", of: ({ done, e2e }) => done ?? e2e },
  usage: { words: "until the event with the usage, else [DONE]", of: usageOrDone },
  "tpot-any": {
    words: "from the first to the last event with content or reasoning, divided by (all output tokens - 1)",
    of: (request) => perToken(firstAny(request), lastAny(request), tokens(request)),
  },
  "tpot-of-usage": {
    words:
      "from the first to the last event with content or reasoning, divided by (tokens of the usage - 1), without requests that have none",
    of: (request) => (hasUsage(request) ? perToken(firstAny(request), lastAny(request), tokens(request)) : undefined),
  },
  "tpot-content": {
    words: "from the first to the last event with content, divided by (tokens of the text - 1)",
    of: (request) => perToken(request.ttft, lastContent(request), textTokens(request)),
  },
  "tpot-token": {
    words:
      "from the first to the last event with content, reasoning, or an empty content without a role, divided by (all output tokens - 1)",
    of: (request) => perToken(firstToken(request), lastToken(request), tokens(request)),
  },
  "tpot-event": {
    words: "from the first event with choices to the last one or the usage, divided by (all output tokens - 1)",
    of: (request) => perToken(firstEvent(request), lastEventOrUsage(request), tokens(request)),
  },
  "tpot-usage": {
    words:
      "from the first event with content or reasoning to the event with the usage, else [DONE], divided by (all output tokens - 1); without requests in which that is below 1 ms",
    of: (request) => {
      const [from = 0, to = 0] = [firstAny(request), usageOrDone(request)];
      return to - from < 1 ? undefined : perToken(from, to, tokens(request));
    },
  },
  "gaps-content": {
    words: "between events with content",
    of: (request) => gapsWith(request, undefined),
    ofGaps: true,
  },
  "gaps-token": {
    words: "between events with content, reasoning, or an empty content without a role",
    of: (request) => gapsWith(request, request.blanks),
    ofGaps: true,
  },
  "gaps-event": {
    words: "between events with choices, also those without content",
    of: (request) => gapsWith(request, request.empties),
    ofGaps: true,
  },
  "gaps-of-tokens": {
    words: "between tokens, those of one chunk 0 ms apart",
    of: gapsOfTokens,
    ofGaps: true,
  },
} as const satisfies Readonly<Record<string, QuantityOf>>;
export type Quantity = keyof typeof QUANTITIES;

export const quantity = (name: Quantity): QuantityOf => QUANTITIES[name];
