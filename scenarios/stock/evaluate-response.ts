/** From the response of k6's HTTP client to what a record says of it. Pure. */

import type { EndpointOptions, ReadName } from "k6/x/assay";
import { isCount, parseJson } from "../../lib/json.ts";
import type { StockOutcome } from "./console-facts.ts";
import { excerpt, quote, shortDetail } from "./detail-text.ts";
import { problemOf, valueAt } from "./expectation.ts";
import { failureOf, type Problem } from "./k6-errors.ts";
import { readStream, type StreamReading } from "./read-stream.ts";

/** What is taken from a response of `k6/http`. */
export interface K6Answer {
  /** 0 without an answer, and also when k6 could not read its body to the end. */
  readonly status: number;
  /** As much of it as came. */
  readonly body: string;
  readonly contentType: string;
  /** k6's own code and message; 0 and empty when the whole answer came. */
  readonly errorCode: number;
  readonly error: string;
  /** A byte of an answer came. */
  readonly begun: boolean;
  /** The request took as long as it may. */
  readonly timeUp: boolean;
  /** Nothing starts any more: k6 may have cut the request off. */
  readonly over: boolean;
}

export type Asked = Pick<EndpointOptions, "stream" | "expect" | "read"> & { readonly items?: number };

/** Members of a record that an answer decides; what it does not show is absent. */
export interface Judged extends Omit<StreamReading, "problem" | "flags"> {
  readonly outcome: StockOutcome;
  readonly detail?: string;
  readonly flags?: readonly string[];
  readonly task?: string;
  readonly task_state?: string;
  readonly progress?: number;
}

/** Longest body that is looked into, in characters. */
const LONGEST_CHECKED = 8 * 2 ** 20;

/** Judges an answer; the first thing wrong, as far as the whole answer shows it, decides. */
export function judge(asked: Asked, answer: K6Answer): Judged {
  if (hasFailed(answer)) return judgeFailed(asked, answer);
  if (asked.stream && answer.status === 200) {
    const { problem, ...reading } = readStream(answer.contentType, answer.body, true);
    return verdict(problem, reading);
  }
  const status = statusProblem(asked, answer.status);
  const refused = status?.outcome === "http_error" || status?.outcome === "rate_limited";
  if (refused) return verdict(said(status, answer.body), {});
  const { problem, ...reading } = judgeWhole(asked, answer);
  return verdict(status ?? problem, reading);
}

/** k6 gives answers with an error status a code above 1400, which is no failure. */
const hasFailed = ({ status, errorCode, error }: K6Answer): boolean =>
  status === 0 && (errorCode !== 0 || error !== "");

/** What a body that broke off showed before counts first; the status is then not known. */
function judgeFailed({ stream }: Asked, answer: K6Answer): Judged {
  const { body, contentType, errorCode, error, begun, timeUp, over } = answer;
  const failure = failureOf({ code: errorCode, message: error, begun, timeUp, over });
  if (!stream || body === "") return verdict(failure, {});
  const { problem, ...reading } = readStream(contentType, body, false);
  return verdict(problem ?? failure, reading);
}

function statusProblem({ stream, expect }: Asked, status: number): Problem | undefined {
  const wanted = stream ? 200 : expect.status;
  if (status === wanted) return undefined;
  if (status === 429) return { outcome: "rate_limited", detail: "The target answered with status 429." };
  if (!stream && status >= 200 && status < 300) {
    return { outcome: "contract", detail: `The target answered with status ${status}, where ${wanted} was expected.` };
  }
  return { outcome: "http_error", detail: `The target answered with status ${status}.` };
}

const said = ({ outcome, detail }: Problem, body: string): Problem => ({
  outcome,
  detail: body === "" ? detail : `${detail} ${excerpt(body)}`,
});

type Reading = Omit<Judged, "outcome" | "detail"> & { readonly problem?: Problem };

function judgeWhole({ expect, read, items }: Asked, { body }: K6Answer): Reading {
  if (body.length > LONGEST_CHECKED) return { flags: ["too-long-to-check"] };
  const root = parseJson(body);
  if (root === undefined) {
    return { problem: { outcome: "malformed", detail: `The answer is not JSON; it starts with ${quote(body)}.` } };
  }
  const wrong = problemOf(root, expect, items);
  return { ...valuesOf(read, root), ...(wrong !== "" && { problem: { outcome: "contract", detail: wrong } }) };
}

/** The values that an endpoint wants to know, where they are of their kind. */
function valuesOf(read: Asked["read"], root: unknown): Omit<Reading, "problem"> {
  const at = (name: ReadName): unknown => {
    const path = read[name];
    return path === undefined ? undefined : valueAt(root, path);
  };
  const tokens = at("output_tokens");
  const task = at("task");
  const state = at("task_state");
  const progress = at("progress");
  return {
    ...(isCount(tokens) && { output_tokens: tokens, token_source: "usage" }),
    ...(typeof task === "string" && { task }),
    ...(typeof state === "string" && { task_state: state }),
    ...(typeof progress === "number" && Number.isFinite(progress) && { progress }),
  };
}

function verdict(problem: Problem | undefined, { flags = [], ...rest }: Omit<Judged, "outcome" | "detail">): Judged {
  return {
    outcome: problem?.outcome ?? "ok",
    ...(problem !== undefined && { detail: shortDetail(problem.detail) }),
    ...rest,
    ...(flags.length > 0 && { flags }),
  };
}
