/**
 * What went wrong with a request that k6 could not bring to its end, by k6's error code and message
 * (https://grafana.com/docs/k6/latest/javascript-api/error-codes/). Pure.
 */

import type { StockOutcome } from "./console-facts.ts";

/** An outcome other than `ok`, and what was wrong in a sentence. */
export interface Problem {
  readonly outcome: Exclude<StockOutcome, "ok">;
  readonly detail: string;
}

interface Failure {
  readonly code: number;
  readonly message: string;
  /** A byte of an answer came. */
  readonly begun: boolean;
  /** The request took as long as it may. */
  readonly timeUp: boolean;
  /** Nothing starts any more: k6 may have cut the request off. */
  readonly over: boolean;
}

/** Codes of k6 from the first to the last, and the outcome that they stand for. The first range that holds one counts. */
const BY_CODE: readonly (readonly [from: number, to: number, outcome: Problem["outcome"]])[] = [
  [1050, 1050, "timeout"],
  [1100, 1199, "refused"],
  [1201, 1202, "reset"],
  [1210, 1219, "refused"],
  [1220, 1229, "reset"],
  [1300, 1399, "tls"],
  [1630, 1649, "reset"],
  [1700, 1799, "malformed"],
];

/** What messages tell where a code does not. */
const BY_MESSAGE: readonly (readonly [RegExp, Problem["outcome"]])[] = [
  [/context canceled/, "cancelled_by_us"],
  [/^dial\b|^lookup\b/, "refused"],
  [/\bx509: |\btls: /, "tls"],
  [/malformed HTTP|malformed MIME|unsupported transfer encoding|too many transfer encodings/, "malformed"],
];

const WORDS: Readonly<Partial<Record<Problem["outcome"], string>>> = {
  timeout: "The request took longer than it may",
  refused: "The connection failed",
  tls: "The TLS connection failed",
  cancelled_by_us: "The run ended before the answer did",
  malformed: "The answer is not HTTP",
};

/** Names the outcome of a request that has no answer, or only the beginning of one. */
export function failureOf(failure: Failure): Problem {
  const { code, message, begun } = failure;
  const outcome = byTime(failure) ?? byMessage(message) ?? byCode(code) ?? "truncated";
  const where = begun ? "within the answer" : "before an answer came";
  const happened = outcome === "reset" ? "was reset" : "was closed";
  return { outcome, detail: `${WORDS[outcome] ?? `The connection ${happened} ${where}`}: ${message}` };
}

/** Of a request and of a connection; k6 gives them to whatever its own deadlines cut off as well. */
const TIMEOUTS: readonly number[] = [1050, 1211];

/** Whose deadline it was: that of the request, or that of the run. */
function byTime({ code, timeUp, over }: Failure): Problem["outcome"] | undefined {
  if (!TIMEOUTS.includes(code)) return undefined;
  return timeUp ? "timeout" : over ? "cancelled_by_us" : undefined;
}

const byCode = (code: number): Problem["outcome"] | undefined =>
  BY_CODE.find(([from, to]) => code >= from && code <= to)?.[2];

const byMessage = (message: string): Problem["outcome"] | undefined =>
  BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
