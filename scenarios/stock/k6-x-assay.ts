/**
 * The module `k6/x/assay` for a k6 without the extension, over `k6/http`. It gets a response only when it is
 * complete: no first token, no gaps, no stall; and k6 makes the arrivals, so that their schedule lag is not known. All of
 * that is absent from the records. Types and behaviour are those of `scenarios/k6-x-assay.d.ts`.
 */

import { sleep } from "k6";
import type { Arrival, Call, EndpointOptions, Reply, RunOptions } from "k6/x/assay";
import type { Phase } from "../../formats/outcomes.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { formatInstant } from "../../settings/instants.ts";
import { arrivalPhase, CLOCK_MS, endOf, phaseAt, type Ticks, ticksOf } from "../process/arrival-ticks.ts";
import { firstCharacters, messagesOf, textOf, turnsOf, type WrittenPrompt } from "../prompts.ts";
import { shared, sharedList } from "../shared-values.ts";
import { textOfTokens, type Vocabulary } from "../words.ts";
import type { ArrivalEndedFact } from "./console-facts.ts";
import { shortDetail } from "./detail-text.ts";
import { type Evaluation, evaluateResponse } from "./evaluate-response.ts";
import { isOutsideSchedule, iteration, nowMs, report, scheduleStartMs, users } from "./k6-runtime.ts";
import { type MeasuredResponse, sendRequest } from "./send-request.ts";

type Module = typeof import("k6/x/assay");

let run: RunOptions | undefined;
let ticks: Ticks | undefined;
let reported = false;
/** The arrival under way, and whether no request was sent for it yet. */
let arrival: Arrival | undefined;
let due = false;
/** The end of the run cut it short. */
let cut = false;
let lastIteration = -1;
/** Arrivals of a closed loop that this virtual user took, and those of them that were measured. */
let taken = 0;
let measured = 0;
let requests = 0;
const user = `${Math.floor(Math.random() * 2 ** 32).toString(16)}-${__VU}`;

export const configure: Module["configure"] = (options) => {
  ticks = ticksOf(options.schedule);
  run = options;
};

/** In an open loop one per iteration: k6 starts an iteration when an arrival is due. */
export const nextArrival: Module["nextArrival"] = () => {
  const { schedule } = reportRun();
  endArrival(due ? { end: "no_request" } : {});
  if (!rampedUp(schedule)) return null;
  const index = nextIndex(schedule);
  if (index === undefined) return null;
  const [now, start] = [nowMs(), scheduleStartMs()];
  const phase = arrivalPhase(schedule, ticks, index, now - start);
  if (phase === undefined || (phase === "measure" && isSpent(schedule))) return null;
  report({ line: "arrival", index, phase, at: formatInstant(now), start: formatInstant(start) });
  arrival = { index, phase };
  due = true;
  cut = false;
  return arrival;
};

/** Waits until this user of a closed loop starts, before its first arrival; false when the run stops meanwhile. */
function rampedUp({ process, users: all = 1, rampUpMs = 0 }: RunOptions["schedule"]): boolean {
  if (process !== "closed" || taken > 0 || rampUpMs === 0) return true;
  const waitMs = scheduleStartMs() + (rampUpMs * iteration()) / all - nowMs();
  return waitMs <= 0 || pause(waitMs);
}

/** Number of the next arrival; undefined when k6 has not started an iteration for one. */
function nextIndex({ process }: RunOptions["schedule"]): number | undefined {
  const current = iteration();
  if (process === "closed") {
    taken += 1;
    return current + (taken - 1) * users();
  }
  if (current === lastIteration) return undefined;
  lastIteration = current;
  return current;
}

/**
 * Takes one of the arrivals that may be measured in a closed loop; true when none is left. Virtual users share nothing, so
 * each has its share of them; those of an open loop are bounded by its ticks.
 */
function isSpent({ process, maxArrivals = Number.POSITIVE_INFINITY }: RunOptions["schedule"]): boolean {
  if (process !== "closed") return false;
  measured += 1;
  return iteration() + (measured - 1) * users() >= maxArrivals;
}

/** Reports that the scenario has come to its end for the arrival under way, if there is one. */
function endArrival(how: Pick<ArrivalEndedFact, "end" | "detail">): void {
  const ended = cut ? ({ end: "unfinished" } as const) : how;
  if (arrival !== undefined) report({ line: "arrival-ended", index: arrival.index, ...ended });
  arrival = undefined;
}

export const scenarioThrew: Module["scenarioThrew"] = (detail) =>
  endArrival({ end: "threw", detail: shortDetail(detail) });

export const pause: Module["pause"] = (ms) => {
  const end = nowMs() + ms;
  sleep(ms / 1_000);
  // When the run stops, k6 wakes the script, and ends it here or a little later.
  const whole = nowMs() >= end - CLOCK_MS;
  if (!whole) cut = true;
  return whole;
};

/** Virtual users share nothing, so none knows all tasks; `assay` cancels the open ones from its journal. */
export const openTasks: Module["openTasks"] = () => [];

/** Reports the run once, before the first fact about it. */
function reportRun(): RunOptions {
  if (run === undefined) throw new Error("configure() was not called; call it in the init context");
  if (!reported) report({ line: "run", settings: run.settings, seed: run.schedule.seed });
  reported = true;
  return run;
}

/** A prompts file in memory once per process, which each virtual user reads a prompt of when it needs it. */
export class Prompts implements InstanceType<Module["Prompts"]> {
  readonly #all: readonly WrittenPrompt[];

  constructor(file: string) {
    this.#all = sharedList(`prompts ${file}`, ({ openPrompts }) => openPrompts(file));
  }

  get length(): number {
    return this.#all.length;
  }

  messages(nth: number): string {
    return JSON.stringify(messagesOf(this.#at(nth)));
  }

  text(nth: number, most?: number): string {
    const text = textOf(this.#at(nth));
    return JSON.stringify(most === undefined ? text : firstCharacters(text, most));
  }

  turns(nth: number): readonly string[] {
    return turnsOf(this.#at(nth)).map((turn) => JSON.stringify(turn).slice(1, -1));
  }

  #at(nth: number): WrittenPrompt {
    const prompt = this.#all[nth];
    if (prompt === undefined) throw new RangeError(`Cannot read prompt ${nth}: there are ${this.#all.length}.`);
    return prompt;
  }
}

export class Words implements InstanceType<Module["Words"]> {
  readonly #vocabulary: Vocabulary;

  constructor(make: () => Vocabulary) {
    this.#vocabulary = shared("words", make);
  }

  text(tokens: number, key: number, other: number): string {
    return textOfTokens(this.#vocabulary, tokens, [key, other]);
  }
}

export class Endpoint implements InstanceType<Module["Endpoint"]> {
  readonly #options: EndpointOptions;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: EndpointOptions) {
    const { headers, stream } = options;
    this.#options = options;
    // k6 decompresses what comes compressed all the same.
    this.#headers = {
      "accept-encoding": "identity",
      accept: stream ? "text/event-stream" : "application/json",
      ...headers,
    };
  }

  /** One after another: scripts have no other way to wait for several. */
  sendAll(calls: readonly Call[], withinMs: number): Reply[] {
    const end = nowMs() + withinMs;
    const late = { id: "", outcome: "cancelled_by_us", detail: "The time was over.", status: 0 } as const;
    return calls.map((call) => (nowMs() < end ? this.send(call) : late));
  }

  send(call: Call): Reply {
    const { schedule, timeoutMs } = reportRun();
    if (call.text) throw new Error("Cannot give the text of a response: that takes the k6 that Assay builds.");
    const { op, method, model, workload } = this.#options;
    requests += 1;
    const id = `${user}-${requests}`;
    const { items, maxTokens, inputTokens, task, cancelReason, cancelAt, tags } = call;
    const known = {
      ...(arrival !== undefined && { arrival: arrival.index }),
      ...(workload !== undefined && { workload }),
      ...(items !== undefined && { items }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(inputTokens !== undefined && { requested_input_tokens: inputTokens }),
      ...(task !== undefined && { task }),
      ...(cancelReason !== undefined && { cancel_reason: cancelReason }),
      ...(cancelAt !== undefined && { cancel_at: cancelAt }),
      ...(tags && { tags }),
    };
    report({ line: "sent", id, op, phase: phaseOf(schedule), model, sent: formatInstant(nowMs()), ...known });
    const headers = { ...this.#headers, "x-request-id": id };
    const measured = sendRequest({ method, url: this.#url(task), body: this.#body(call.body), headers, timeoutMs });
    const evaluation = evaluateResponse(
      { ...this.#options, ...(items !== undefined && { items }) },
      { ...measured.response, over: isOver(schedule) },
    );
    if (evaluation.outcome === "cancelled_by_us") cut = true;
    const closed = schedule.process === "closed";
    report({ line: "ended", id, ...membersOf(measured, closed), ...evaluation });
    return replyOf(id, measured.response.status, evaluation);
  }

  #body(body: Call["body"]): string | undefined {
    return body === undefined || typeof body === "string" ? body : body.join("");
  }

  #url(task: string | undefined): string {
    const { op, url } = this.#options;
    if (!url.includes("{task}")) return url;
    if (task === undefined) throw new Error(`Cannot send ${op}: its url contains {task} and the call has no task.`);
    return url.replaceAll("{task}", encodeURIComponent(task));
  }
}

/** The phase of a request: that of its arrival, if it is the first request after it. */
function phaseOf(schedule: RunOptions["schedule"]): Phase {
  const own = due ? arrival?.phase : undefined;
  due = false;
  if (own !== undefined) return own;
  return isOutsideSchedule() ? "drain" : phaseAt(schedule, nowMs() - scheduleStartMs());
}

const isOver = (schedule: RunOptions["schedule"]): boolean =>
  isOutsideSchedule() || nowMs() - scheduleStartMs() >= endOf(schedule, ticks);

/** What was measured. In a closed loop a request is due when it is sent. */
function membersOf(
  { response, sentMs, e2e, ttfb, reused, proto, retryAfter: header }: MeasuredResponse,
  closed: boolean,
) {
  const wait = retryAfterMs(header, sentMs);
  return {
    sent: formatInstant(sentMs),
    ...(response.status > 0 && { status: response.status }),
    ...(wait !== undefined && { retry_after: wait / 1_000 }),
    ...(ttfb !== undefined && { ttfb: thousandths(ttfb) }),
    e2e: thousandths(e2e),
    ...(closed && { e2e_scheduled: thousandths(e2e) }),
    ...(reused !== undefined && { reused }),
    ...(proto !== "" && { proto }),
  };
}

const thousandths = (ms: number): number => Math.round(ms * 1_000) / 1_000;

function replyOf(id: string, status: number, evaluation: Evaluation): Reply {
  const { outcome, detail = "", task, task_state, progress, output_tokens } = evaluation;
  return {
    id,
    outcome,
    detail,
    status,
    ...(task !== undefined && { task }),
    ...(task_state !== undefined && { task_state }),
    ...(progress !== undefined && { progress }),
    ...(output_tokens !== undefined && { output_tokens }),
  };
}
