/**
 * What was wrong with a request that failed in k6, by its error code and message
 * (https://grafana.com/docs/k6/latest/javascript-api/error-codes/). Pure.
 */

import type { ClientFault } from "../../formats/outcomes.ts";
import type { Problem } from "./problems.ts";

interface Failure {
  readonly code: number;
  readonly message: string;
  /** A byte of a response was received. */
  readonly begun: boolean;
  /** The request reached its time limit. */
  readonly timeUp: boolean;
  /** The run is over: k6 may have cut the request off. */
  readonly over: boolean;
}

/** Ranges of k6's codes, and their outcome. The first range with a code decides. */
const BY_CODE: readonly (readonly [from: number, to: number, outcome: Problem["outcome"]])[] = [
  [1050, 1050, "timeout"],
  [1201, 1202, "reset"],
  [1210, 1219, "refused"],
  [1220, 1229, "reset"],
  [1300, 1399, "tls"],
  [1630, 1649, "reset"],
  [1700, 1799, "malformed"],
];

/** Messages, where the code does not decide. */
const BY_MESSAGE: readonly (readonly [RegExp, Problem["outcome"]])[] = [
  [/server response headers exceeded|response header list larger than/, "too_large"],
  [/context canceled/, "cancelled_by_us"],
  [/connection reset by peer/, "reset"],
  [/^dial\b/, "refused"],
  [/\bx509: |\btls: /, "tls"],
  [/malformed HTTP|malformed MIME|unsupported transfer encoding|too many transfer encodings/, "malformed"],
];

const WORDS: Readonly<Partial<Record<Problem["outcome"], string>>> = {
  timeout: "The request exceeded its time limit",
  refused: "The connection failed",
  tls: "The TLS connection failed",
  cancelled_by_us: "The run ended before the response was complete",
  malformed: "The response is not HTTP",
  too_large: "The headers are too long",
};

/**
 * What this machine lacked, by k6's message; the texts of error numbers are those of Go. What the target sends is not among
 * them: a connection that is refused, reset or times out.
 */
const CLIENT_FAULTS: readonly (readonly [RegExp, ClientFault])[] = [
  [/too many open files/, "open_files"],
  [/assign requested address|address already in use/, "source_ports"],
  [/no buffer space available|cannot allocate memory/, "memory"],
  [/^lookup\b/, "name_resolution"],
  [/no route to host|network is (?:unreachable|down)|address family not supported/, "route"],
  [/^dial\b.*(?:permission denied|operation not permitted|invalid argument)/, "route"],
];

const FAULT_TEXTS: Readonly<Record<ClientFault, string>> = {
  open_files: "This machine could not open another file or socket",
  source_ports: "This machine had no free source port for the connection",
  memory: "This machine had no memory for the connection",
  name_resolution: "This machine could not resolve the name of the host",
  route: "This machine had no route to the target, or a router on the way has none",
};

/** Codes of names that were not resolved, or that k6's own options block. */
const isLookup = (code: number): boolean => code >= 1100 && code < 1200;

function clientFault({ code, message }: Failure): Problem | undefined {
  const fault =
    CLIENT_FAULTS.find(([pattern]) => pattern.test(message))?.[1] ?? (isLookup(code) ? "name_resolution" : undefined);
  return fault && { outcome: "client_error", detail: `${FAULT_TEXTS[fault]}: ${message}`, fault };
}

/** The outcome of a request without a complete response. */
export function failureOf(failure: Failure): Problem {
  const own = clientFault(failure);
  if (own !== undefined) return own;
  const { code, message, begun } = failure;
  const outcome = byTime(failure) ?? byMessage(message) ?? byCode(code) ?? "truncated";
  const where = begun ? "within the response" : "before a response arrived";
  const happened = outcome === "reset" ? "was reset" : "was closed";
  return { outcome, detail: `${WORDS[outcome] ?? `The connection ${happened} ${where}`}: ${message}` };
}

/** Of a request and of a connection; k6 also uses them for what the end of a run cuts off. */
const TIMEOUTS: readonly number[] = [1050, 1211];

/** Which limit it was: that of the request, or the end of the run. */
function byTime({ code, timeUp, over }: Failure): Problem["outcome"] | undefined {
  if (!TIMEOUTS.includes(code)) return undefined;
  return timeUp ? "timeout" : over ? "cancelled_by_us" : undefined;
}

const byCode = (code: number): Problem["outcome"] | undefined =>
  BY_CODE.find(([from, to]) => code >= from && code <= to)?.[2];

const byMessage = (message: string): Problem["outcome"] | undefined =>
  BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
