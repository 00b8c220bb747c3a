/** What a report says of the inputs that a run sent, and of its connections, for every view. */

import { type InputsOfRun, MOST_DIFFERENT, type TimesByConnection } from "../../../formats/run-inputs.ts";
import { formatNumber, formatShare } from "../../numbers.ts";

/**
 * What to tell of the inputs of a run, in sentences without their end.
 * @param planned share of the input tokens that a cache can have by the settings; absent: none is planned
 */
export function inputsInWords(
  { requests, repeated, replayed, times, begunAlike = 0, begunTimes, cached, earlier }: InputsOfRun,
  planned?: number,
): readonly string[] {
  return [
    ...(replayed === undefined ? [] : [replayedInWords(requests, replayed)]),
    ...(repeated === 0 || replayed !== undefined ? [] : [repeatedInWords(requests, repeated, times)]),
    // Prefixes that are shared on purpose are said with what was planned.
    ...(begunAlike - repeated < MOST_DIFFERENT * requests || planned !== undefined
      ? []
      : [begunInWords(requests, begunAlike, begunTimes)]),
    ...(earlier === undefined ? [] : earlierInWords(requests, earlier)),
    ...(cached === undefined || (cached.share === 0 && planned === undefined)
      ? []
      : [
          `the target took ${formatShare(cached.share)} of the input tokens from a cache, by its usage (cached_tokens)${planned === undefined ? "" : `; ${formatShare(planned)} were planned`}`,
        ]),
    ...(cached === undefined && planned !== undefined
      ? [
          `${formatShare(planned)} of the input tokens were planned to be cached; the usage of the target does not say how many were`,
        ]
      : []),
  ];
}

const PHASES = { lookup: "the look-up of the name", connect: "connecting", tls: "the TLS handshake" } as const;

/** The times of requests on new and on reused connections, as a sentence without its end. */
export function connectionsInWords({ opened, openedMs, reused, reusedMs, phases }: TimesByConnection): string {
  const later = openedMs - reusedMs;
  const sum = phases.reduce((total, { ms }) => total + ms, 0);
  const [longest] = phases;
  const medians = `median ${formatNumber(openedMs)} ms of ${formatNumber(opened)}, ${formatNumber(reusedMs)} ms of ${formatNumber(reused)} on reused ones`;
  const which = `requests on new connections were answered ${later > 0 ? "later" : "sooner"} (${medians})`;
  if (later < 0 || longest === undefined) return which;
  return sum < later / 2
    ? `${which}; opening them took ${formatNumber(sum)} ms: the target responded later on them, or when many were opened`
    : `${which}; ${PHASES[longest.name]} took ${formatNumber(longest.ms)} ms`;
}

/** Where inputs were sent before, as a part of a sentence. */
interface Before {
  readonly sent: string;
  readonly begun: string;
  /** How to send others. */
  readonly advice: string;
}
const IN_RUN: Before = {
  sent: "sent before in this run",
  begun: "before in this run",
  advice: "send each prompt once (--set unique-prompts=true, or a larger file)",
};

/** What was sent in an earlier load, which was asked for. */
function earlierInWords(
  requests: number,
  { from, repeated, begunAlike, times, begunTimes }: NonNullable<InputsOfRun["earlier"]>,
): readonly string[] {
  const before: Before = {
    sent: `sent in the load ${from}`,
    begun: `in the load ${from}`,
    advice: "send others (--set unique-prompts=true without --seed, or another file)",
  };
  if (begunAlike === 0 && repeated === 0) return [`no request sent an input that was ${before.sent}, or began as one`];
  return [
    ...(repeated === 0 ? [] : [repeatedInWords(requests, repeated, times, before)]),
    ...(begunAlike <= repeated ? [] : [begunInWords(requests, begunAlike, begunTimes, before)]),
  ];
}

function begunInWords(requests: number, begunAlike: number, times: InputsOfRun["times"], { begun } = IN_RUN): string {
  const which = `${formatNumber(begunAlike)} of ${formatNumber(requests)} requests (${formatShare(begunAlike / requests)}) began as one ${begun} (256 bytes of the messages)`;
  if (times === undefined) return `${which}, and a cache of prefixes may have had that part`;
  const medians = `median ${formatNumber(times.repeatedMs)} ms, that of new beginnings ${formatNumber(times.freshMs)} ms`;
  return times.sooner
    ? `${which}, and were answered sooner (${medians}): a cache of prefixes answers them`
    : `${which}; they were not clearly answered sooner (${medians})`;
}

/** The ids leave no doubt, so that the times need not be asked. */
const replayedInWords = (requests: number, replayed: number): string =>
  `the responses to ${formatNumber(replayed)} of ${formatNumber(requests)} requests (${formatShare(replayed / requests)}) had the id of an earlier response to the same input, as a cache of responses returns them: their latencies and tokens are not those of a model; ${IN_RUN.advice}`;

function repeatedInWords(
  requests: number,
  repeated: number,
  times: InputsOfRun["times"],
  { sent, advice } = IN_RUN,
): string {
  const which = `${formatNumber(repeated)} of ${formatNumber(requests)} requests (${formatShare(repeated / requests)}) sent an input that was ${sent}`;
  if (times === undefined) return `${which}, which a cache of the target may have answered: ${advice}`;
  const medians = `median ${formatNumber(times.repeatedMs)} ms, that of new inputs ${formatNumber(times.freshMs)} ms`;
  return times.sooner
    ? `${which}, and were answered sooner (${medians}): a cache of the target answers them, and the latencies are not those of new prompts; ${advice}`
    : `${which}; they were not clearly answered sooner (${medians})`;
}
