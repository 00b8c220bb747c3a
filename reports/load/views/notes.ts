/** Remarks on how the figures of a run came about, for every view: they follow the reasons of the verdict. */

import { FLAGS } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { fileName, MADE_CHARACTERS_PER_TOKEN } from "../../../lib/text.ts";
import { formatNumber, formatShare, plural } from "../../numbers.ts";
import { canaryInWords } from "../metrics/canary-answers.ts";
import { leftInWords } from "../metrics/left-work.ts";
import { reasonedAlone } from "../metrics/reasoned-alone.ts";
import { periodicStallsInWords } from "../validity/run-steadiness.ts";
import { failureLine } from "./failure-rows.ts";
import { connectionsInWords, inputsInWords } from "./input-notes.ts";
import { traceInWords } from "./trace-words.ts";

/** The remarks on a run, as sentences without their end: none is the cause of a missed objective, which is stated with it. */
export const notesOf = (run: Noted): readonly string[] =>
  remarksOn(run).filter((note) => !run.slos?.some(({ cause }) => cause === note));

const remarksOn = (run: Noted): readonly string[] =>
  [
    run.periodicStalls && periodicStallsInWords(run.periodicStalls),
    tokenNote(run.metrics["output_tokens_per_s"]),
    endedLaterNote(run),
    tokensPerEventNote(run.metrics),
    coalescedNote(run.metrics["coalesced"]),
    run.settings?.replayed && traceInWords(run.settings.replayed),
    ...lengthNotes(run),
    ...(run.inputs === undefined ? [] : inputsInWords(run.inputs, run.settings?.plannedCached)),
    run.connections && connectionsInWords(run.connections),
    resentNote(run.client),
    warmupNote(run.warmupFailures),
    ...flagNotes(run),
    ...skewNotes(run.regions),
    ...(run.left === undefined ? [] : leftInWords(run.left)),
    ...(run.canary === undefined ? [] : canaryInWords(run.canary)),
    ...(run.unmade ?? []).map((part) => `a part of this report could not be made: ${part}`),
  ].filter((note) => note !== undefined);

type Noted = Pick<RunResult, "metrics" | "flags" | "parts"> &
  Partial<
    Pick<
      RunResult,
      | "unmade"
      | "periodicStalls"
      | "regions"
      | "left"
      | "canary"
      | "slos"
      | "inputs"
      | "connections"
      | "client"
      | "counts"
      | "durationS"
      | "warmupFailures"
    >
  > & {
    readonly settings?: RunResult["settings"];
  };

/** How long prompts were made, and what the target counted: of each workload whose prompts were made. */
const lengthNotes = ({ metrics, parts, settings = {} }: Noted): readonly (string | undefined)[] =>
  parts === undefined
    ? [lengthNote(metrics, settings)]
    : Object.entries(parts).map(([name, part]) => {
        const note = lengthNote(part.metrics, settings);
        return note && `${name}: ${note}`;
      });

function lengthNote(
  metrics: RunResult["metrics"],
  { tokenizer, charactersPerToken = MADE_CHARACTERS_PER_TOKEN }: Partial<RunResult["settings"]>,
): string | undefined {
  const { requested_input_tokens: { mean: made } = {}, input_tokens: { mean: counted } = {} } = metrics;
  if (made === undefined) return undefined;
  const by =
    tokenizer === undefined
      ? `at ${charactersPerToken} characters per token`
      : `with the tokenizer ${fileName(tokenizer)}`;
  const target =
    counted === undefined
      ? "the target counted none"
      : `the target counted ${rounded(counted)} (${formatShare(counted / made)})`;
  const isOff = tokenizer === undefined && counted !== undefined && Math.abs(counted / made - 1) > COUNTED_APART;
  if (isOff && metrics["output_tokens"] !== undefined && mayBeTemplate(made, counted))
    return `prompts were made ${by}, ${rounded(made)} tokens on average; ${target}, with the template of a chat: prompts this short do not show how many characters a token has`;
  const characters = charactersPerToken * made;
  if (isOff && charactersPerToken > 1 && Math.abs(counted / characters - 1) < AS_CHARACTERS)
    return `prompts were made ${by}, ${rounded(made)} tokens on average; ${target}, as many as they have characters: unless each character is a token, its usage counts characters and no tokens`;
  const meant = isOff ? Number(((charactersPerToken * made) / counted).toPrecision(3)) : undefined;
  const advice = meant === undefined ? "" : `. To make them as it counts: --set characters-per-token=${meant}`;
  return `prompts were made ${by}, ${rounded(made)} tokens on average; ${target}${advice}`;
}

/** From this share on, the target counts tokens otherwise; the template around messages is less of prompts that are not short. */
const COUNTED_APART = 0.05;

/** A count this near to that of the characters is one of characters. */
const AS_CHARACTERS = 0.01;

/** Most tokens that the template of a chat adds to a message, such as a system prompt of the model. */
const TEMPLATE_TOKENS = 100;

/** Whether the template may be what a target counts beyond short prompts. */
const mayBeTemplate = (made: number, counted: number): boolean =>
  made <= 2 * TEMPLATE_TOKENS && counted > made && counted - made <= TEMPLATE_TOKENS;

const rounded = (tokens: number): string => formatNumber(Math.round(tokens));

/** From this share of the chunks on, the gaps say how the stream was flushed rather than how fast it was generated. */
const MANY_COALESCED = 0.1;
/** From this share on, first tokens wait for those after them, too. */
const MOST_COALESCED = 0.5;

/** That many chunks were read together; undefined where few were. */
function coalescedNote({
  value = 0,
  count = 0,
}: Pick<MetricResult, "value"> & { count?: number } = {}): string | undefined {
  if (count === 0 || value / count < MANY_COALESCED) return undefined;
  const share = formatShare(value / count);
  return `${formatNumber(value)} of ${plural(count, "gap")} (${share}) are 0, because the chunk came in the same read as the one before: the target or a proxy sends several at once, and percentiles of icl show how often${value / count < MOST_COALESCED ? "" : BATCHES}`;
}

const BATCHES =
  "; the first token and the time per token are those of its batches (nginx: proxy_buffering off; HAProxy: option http-no-delay)";

/** Said where most streams came so: what is reported as the first token is that of whole responses. */
const WHOLE =
  "; ttft is the time of the whole content, which the target or a proxy sends at once (nginx: proxy_buffering off; lighttpd: server.stream-response-body = 2)";

/** What each flag of an ok request says about the figures. */
const FLAG_NOTES: Readonly<Record<(typeof FLAGS)[number], string>> = {
  buffered: "arrived in one piece; excluded from inter-chunk latency",
  "large-first-event":
    "the first event with content held several tokens, which came at once; excluded from time per output token",
  empty: "no content came, so that there is no first token",
  "open-after-done":
    "the response stayed open for 100 ms or more after [DONE]; e2e is until its end, and the slot is taken until then",
  "below-max-tokens":
    "it ended with finish_reason length before max_tokens: the model's context holds no more, or the target has a limit of its own",
  "packet-loss":
    "packets of it were lost or late on the way, as TCP of the load generator saw it, and what came after them waited: such times are not those of the service alone",
  "no-done": "the stream ended with a finish_reason and without [DONE]",
  "unfinished-event": "the last event lacks its blank line",
  "media-type": "an event stream came under another media type",
  "too-long-to-check": "the content was too long to be checked",
};

/** `flag buffered in 12 ok responses: the content came at once, …`, for each flag that occurs. */
const flagNotes = ({ flags = {}, metrics }: Pick<RunResult, "flags" | "metrics">): string[] =>
  FLAGS.flatMap((flag) => {
    const count = flags[flag];
    const more = moreOn(flag, count, metrics);
    return count === undefined ? [] : [`flag ${flag} in ${plural(count, "ok response")}: ${FLAG_NOTES[flag]}${more}`];
  });

/** What other figures say of the responses with a flag. */
function moreOn(flag: (typeof FLAGS)[number], count = 0, metrics: RunResult["metrics"] = {}): string {
  if (flag === "buffered") return count > MOST_COALESCED * (metrics["ttft"]?.count ?? Infinity) ? WHOLE : "";
  const alone = flag === "empty" ? reasonedAlone(metrics) : 0;
  return alone === 0 ? "" : `; ${formatNumber(alone)} held reasoning alone, which ttft_any measures`;
}

/** How tokens were counted where usage does not state them; undefined where it always does. */
export function tokenNote({ parts = {} }: Pick<MetricResult, "parts"> = {}): string | undefined {
  const { chunks = 0, usage = 0 } = parts;
  if (chunks === 0) return undefined;
  const which = usage === 0 ? "all" : `${formatNumber(chunks)} of`;
  return `output tokens are counted by chunks (events with content) in ${which} ${plural(chunks + usage, "request")}, whose usage is absent or states none`;
}

/** From this share of the ok requests on, those that ended after the window make requests/s another figure than the load. */
const MANY_LATER = 0.1;

/** That requests/s leaves out those that ended after the window, where no warm-up makes up for them; undefined of few. */
function endedLaterNote({ counts, metrics, durationS = 0, settings }: Noted): string | undefined {
  const { ok = 0 } = counts ?? {};
  const { requests_per_s: rate, e2e } = metrics;
  const later = Math.round(ok - (rate?.value ?? ok) * durationS);
  if (rate?.value === undefined || later <= ok * MANY_LATER || (settings?.warmup ?? 0) >= (e2e?.p50 ?? 0))
    return undefined;
  return `${formatNumber(later)} of ${plural(ok, "ok request")} ended after the measured window, so requests/s does not count them; a --warmup longer than a request makes up for that, unless the target is slower than the load`;
}

/** From this ratio on, a time per token and a gap between events are not two figures of one pace. */
const TOKENS_APART = 1.5;
/** Of fewer tokens and events, one for the end is a large share. */
const MIN_OUTPUT = 10;

/**
 * That usage counts another number of tokens than there were events with content; undefined where both are alike. The ratio of
 * both times is that of tokens and events without the first of each.
 */
function tokensPerEventNote({ icl, tpot }: RunResult["metrics"]): string | undefined {
  const { count = 0, requests = 0, mean: gap = 0 } = icl ?? {};
  const events = count / requests + 1;
  const tokens = (gap / (tpot?.mean ?? 0)) * (events - 1) + 1;
  if (!(Number.isFinite(tokens) && Math.max(tokens, events) >= MIN_OUTPUT)) return undefined;
  const perEvent = tokens / events;
  if (perEvent < TOKENS_APART && perEvent > 1 / TOKENS_APART) return undefined;
  const both = `usage states ${rounded(tokens)} tokens for ${rounded(events)} events with content on average`;
  return `${both}: tpot and tokens/s are of tokens, icl is of events`;
}

/** Requests that only a second connection saved; undefined of none. */
function resentNote({ resent = 0 }: Partial<RunResult["client"]> = {}): string | undefined {
  if (resent === 0) return undefined;
  return `${plural(resent, "request")} had to be sent again: the target closed the connection that was reused, before any byte of a response. Clients that do not send again fail there; its keep-alive time-out is short, or it drops requests`;
}

/** Kinds of failures of the warm-up that are said; run.json has all. */
const SHOWN = 3;

/** What failed before the measured window; undefined where nothing did. */
function warmupNote(failures: RunResult["warmupFailures"] = []): string | undefined {
  if (failures.length === 0) return undefined;
  const shown = failures.slice(0, SHOWN).map((failure) => `${failure.op} ${failureLine(failure)}`);
  const hidden = failures.length > SHOWN ? [`${plural(failures.length - SHOWN, "more kind")}`] : [];
  return `failures in the warm-up, which no figure counts: ${[...shown, ...hidden].join("; ")}`;
}

/** What the clocks of regions differ by at least, in milliseconds. */
const leastSkew = (regions: NonNullable<RunResult["regions"]>): number =>
  Math.max(0, ...regions.flatMap(({ clock }) => (clock ? [clock.fromMs, -clock.toMs] : [])));

/** A skew that shifts the figures of one second into the next. */
const LARGE_MS = 1_000;

/** A sentence without its end about clocks that differ by more than a second; none where they need not. */
function skewNotes(regions: NonNullable<RunResult["regions"]> = []): string[] {
  const skew = leastSkew(regions);
  if (skew <= LARGE_MS) return [];
  return [
    `the clocks of the regions differ by at least ${(skew / 1_000).toFixed(1)} s: they did not start together, rates are over a longer time, and figures second by second are shifted; synchronize the clocks`,
  ];
}
