/** Evaluates a response of k6's HTTP client: the members of its record. Pure. */

import type { EndpointOptions, ReadName } from "k6/x/assay";
import { mayHaveCreatedTask } from "../../contract/service.ts";
import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import type { RequestRecord } from "../../formats/records.ts";
import { idText } from "../../lib/id-text.ts";
import { isCount } from "../../lib/json.ts";
import { excerpt, quote, shortDetail } from "./detail-text.ts";
import { dimensionsOf, notFiniteProblem, problemOf, valueAt } from "./expectation.ts";
import { failureOf } from "./k6-errors.ts";
import { type Problem, tooLarge } from "./problems.ts";
import { readStream, type StreamReading } from "./read-stream.ts";
import { jsonFault, parseResponse } from "./response-json.ts";

/** What is taken from a response of `k6/http`. */
export interface K6Response {
  /** 0 without a response, and also when k6 could not read its body to the end. */
  readonly status: number;
  /** As much of it as was received. */
  readonly body: string;
  readonly contentType: string;
  /** k6's own code and message; 0 and empty when the response is complete. */
  readonly errorCode: number;
  readonly error: string;
  /** A byte of a response was received. */
  readonly begun: boolean;
  /** The request reached its time limit. */
  readonly timeUp: boolean;
  /** The run is over: k6 may have cut the request off. */
  readonly over: boolean;
}

export type Expected = Pick<EndpointOptions, "stream" | "expect" | "read"> & { readonly items?: number };

/** Members of a record that a response decides; what it does not show is absent. */
export type Evaluation = Readonly<
  Pick<
    RequestRecord,
    "outcome" | "detail" | "client_fault" | "flags" | "dimensions" | "task" | "task_state" | "progress" | "cost"
  > &
    Omit<StreamReading, "problem" | "flags">
>;

/** Evaluates a response; the first problem, as far as the complete response shows it, decides. */
export function evaluateResponse(expected: Expected, response: K6Response): Evaluation {
  if (hasFailed(response)) return evaluateFailed(expected, response);
  if (expected.stream && response.status === 200) {
    const { problem, ...reading } = readStream(response.contentType, response.body, true);
    return outcomeOf(problem ?? sizeProblem(response), reading);
  }
  const status = statusProblem(expected, response.status);
  const refused = status?.outcome === "http_error" || status?.outcome === "rate_limited";
  if (refused) return outcomeOf(withBody(status, response.body), taskOf(expected, response));
  const { problem, ...reading } = evaluateWhole(expected, response);
  return outcomeOf(status ?? sizeProblem(response) ?? problem, reading);
}

/** k6 has kept the whole body by now; the extension ends such a request when the limit is reached. */
const sizeProblem = ({ body }: K6Response): Problem | undefined =>
  body.length > SIZE_LIMITS.body ? tooLarge(`The body is longer than ${SIZE_LIMITS.body} bytes.`) : undefined;

/** k6 gives responses with an error status a code above 1400, which is not a failure. */
const hasFailed = ({ status, errorCode, error }: K6Response): boolean =>
  status === 0 && (errorCode !== 0 || error !== "");

/** An incomplete body is evaluated first; the status is then not known. */
function evaluateFailed(expected: Expected, response: K6Response): Evaluation {
  const { stream } = expected;
  const { body, contentType, errorCode, error, begun, timeUp, over } = response;
  const failure = failureOf({ code: errorCode, message: error, begun, timeUp, over });
  if (!stream) return outcomeOf(failure, taskOf(expected, response));
  if (body === "") return outcomeOf(failure, {});
  const { problem, ...reading } = readStream(contentType, body, false);
  return outcomeOf(problem ?? failure, reading);
}

function statusProblem({ stream, expect }: Expected, status: number): Problem | undefined {
  const wanted = stream ? 200 : expect.status;
  if (status === wanted) return undefined;
  if (status === 429) return { outcome: "rate_limited", detail: "The target returned status 429." };
  if (!stream && status >= 200 && status < 300) {
    return { outcome: "contract", detail: `The target returned status ${status}, where ${wanted} was expected.` };
  }
  return { outcome: "http_error", detail: `The target returned status ${status}.` };
}

const withBody = ({ outcome, detail }: Problem, body: string): Problem => ({
  outcome,
  detail: body === "" ? detail : `${detail} ${excerpt(body)}`,
});

type Reading = Omit<Evaluation, "outcome" | "detail"> & { readonly problem?: Problem };

function evaluateWhole({ expect, read, items }: Expected, { body }: K6Response): Reading {
  if (body.length > SIZE_LIMITS.checked) return { flags: ["too-long-to-check"] };
  const root = parseResponse(body);
  if (root === undefined) {
    const wrong = notFiniteProblem(body, expect);
    if (wrong !== "") return { problem: { outcome: "contract", detail: wrong } };
    return {
      problem: { outcome: "malformed", detail: `The response is ${jsonFault(body)}; it starts with ${quote(body)}.` },
    };
  }
  const wrong = problemOf(root, expect, items);
  const values = { ...valuesOf(read, root), ...taskIn(read, root, body) };
  if (wrong !== "") return { ...values, problem: { outcome: "contract", detail: wrong } };
  const dimensions = dimensionsOf(root, expect);
  return { ...values, ...(dimensions !== undefined && { dimensions }) };
}

/** The values that an endpoint reads, where they have the right type. */
function valuesOf(read: Expected["read"], root: unknown): Omit<Reading, "problem"> {
  const at = (name: ReadName): unknown => {
    const path = read[name];
    return path === undefined ? undefined : valueAt(root, path);
  };
  const input = at("input_tokens");
  const tokens = at("output_tokens");
  const reasoning = at("reasoning_tokens");
  const state = at("task_state");
  const progress = at("progress");
  const cost = at("cost");
  return {
    ...(isCount(input) && { input_tokens: input }),
    ...(isCount(tokens) && { output_tokens: tokens, token_source: "usage" }),
    ...(isCount(reasoning) && { reasoning_tokens: reasoning }),
    ...(typeof state === "string" && { task_state: state }),
    ...(typeof progress === "number" && Number.isFinite(progress) && { progress }),
    ...(typeof cost === "number" && Number.isFinite(cost) && { cost }),
  };
}

/** The task that a submission created, in spite of an error, if the whole document with its id was received. */
function taskOf({ read }: Expected, { status, body }: K6Response): Pick<Evaluation, "task"> {
  if (read.task === undefined || !mayHaveCreatedTask(status) || body.length > SIZE_LIMITS.checked) return {};
  return taskIn(read, parseResponse(body), body);
}

/** The id of a task; a number still serves to poll and to cancel it. */
function taskIn({ task: path }: Expected["read"], root: unknown, body: string): Pick<Evaluation, "task"> {
  const task = path === undefined ? undefined : idText(valueAt(root, path), body, path);
  return task === undefined ? {} : { task };
}

function outcomeOf(
  problem: Problem | undefined,
  { flags = [], ...rest }: Omit<Evaluation, "outcome" | "detail">,
): Evaluation {
  return {
    outcome: problem?.outcome ?? "ok",
    ...(problem !== undefined && { detail: shortDetail(problem.detail) }),
    ...(problem?.fault !== undefined && { client_fault: problem.fault }),
    ...rest,
    ...(flags.length > 0 && { flags }),
  };
}
