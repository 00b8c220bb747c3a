/** Sends requests with `k6/http`: the only file that does. */

import http, { type RefinedResponse } from "k6/http";
import type { K6Response } from "./evaluate-response.ts";
import { nowMs } from "./k6-runtime.ts";

export interface MeasuredResponse {
  readonly response: Omit<K6Response, "over">;
  readonly sentMs: number;
  /** Milliseconds from the call, which begins before the connection, to the last byte. */
  readonly e2e: number;
  /** To the first byte of the response; undefined without one. k6 does not report when the headers were complete. */
  readonly ttfb?: number;
  readonly reused?: boolean;
  readonly proto: string;
  readonly retryAfter: string | undefined;
}

export interface RequestSpec {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Record<string, string>;
  readonly timeoutMs: number;
}

/** For requests without a time limit, which k6 does not offer. */
const NO_LIMIT_MS = 30 * 24 * 3_600_000;

/** Sends a request and waits for its end. Never throws for what the target does. */
export function sendRequest({ method, url, body, headers, timeoutMs }: RequestSpec): MeasuredResponse {
  const parameters = {
    headers,
    redirects: 0,
    responseType: "text" as const,
    timeout: timeoutMs > 0 ? timeoutMs : NO_LIMIT_MS,
    // Cookies of one response must not be sent with the next request.
    jar: new http.CookieJar(),
  };
  const sentMs = nowMs();
  try {
    const response = http.request(method, url, body ?? null, parameters);
    return measuredResponseOf(response, sentMs, nowMs() - sentMs, timeoutMs);
  } catch (error) {
    return otherProtocol(String(error), sentMs, nowMs() - sentMs);
  }
}

/**
 * k6's timings of a complete response: getting a connection (`blocked`, with name look-up, connecting and TLS),
 * `sending`, `waiting` for the first byte, `receiving` to the last. Of a request that failed most are 0, so the time of the
 * call is used instead.
 */
function measuredResponseOf(
  response: RefinedResponse<"text">,
  sentMs: number,
  tookMs: number,
  timeoutMs: number,
): MeasuredResponse {
  const { status, body, error, error_code: errorCode, headers, proto, timings } = response;
  const { blocked, connecting, sending, waiting, receiving } = timings;
  const begun = receiving > 0;
  const whole = status > 0;
  return {
    response: {
      status,
      body: body ?? "",
      contentType: headers["Content-Type"] ?? "",
      errorCode: whole ? 0 : errorCode,
      error: whole ? "" : error,
      begun,
      timeUp: timeoutMs > 0 && tookMs >= timeoutMs,
    },
    sentMs,
    e2e: whole ? blocked + sending + waiting + receiving : tookMs,
    ...(begun && { ttfb: blocked + sending + waiting, reused: connecting === 0 }),
    proto,
    retryAfter: headers["Retry-After"],
  };
}

/** k6 throws only for a response with the status 101. */
function otherProtocol(error: string, sentMs: number, tookMs: number): MeasuredResponse {
  const status = Number(/unsupported response status: (\d{3})/.exec(error)?.[1] ?? 0);
  const response = { status, body: "", contentType: "", errorCode: 0, error, begun: status > 0, timeUp: false };
  return { response, sentMs, e2e: tookMs, proto: "", retryAfter: undefined };
}
