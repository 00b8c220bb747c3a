/** One request over `k6/http`: the only file that sends any. */

import http, { type RefinedResponse } from "k6/http";
import type { K6Answer } from "./evaluate-response.ts";
import { nowMs } from "./k6-runtime.ts";

export interface Exchange {
  readonly answer: Omit<K6Answer, "over">;
  readonly sentMs: number;
  /** Milliseconds from the call, which begins before the connection, to the last byte. */
  readonly e2e: number;
  /** To the first byte of the answer; undefined without one. k6 does not say when the headers were whole. */
  readonly ttfb?: number;
  readonly reused?: boolean;
  readonly proto: string;
  readonly retryAfter: string | undefined;
}

export interface Question {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Record<string, string>;
  readonly timeoutMs: number;
}

/** For requests without a bound; k6 has no way to say so. */
const NO_BOUND_MS = 30 * 24 * 3_600_000;

/** Sends a request and waits for its end. Never throws for what the target does. */
export function ask({ method, url, body, headers, timeoutMs }: Question): Exchange {
  const parameters = {
    headers,
    redirects: 0,
    responseType: "text" as const,
    timeout: timeoutMs > 0 ? timeoutMs : NO_BOUND_MS,
    // Cookies of one answer must not go out with the next request.
    jar: new http.CookieJar(),
  };
  const sentMs = nowMs();
  try {
    const response = http.request(method, url, body ?? null, parameters);
    return exchangeOf(response, sentMs, nowMs() - sentMs, timeoutMs);
  } catch (error) {
    return otherProtocol(String(error), sentMs, nowMs() - sentMs);
  }
}

/**
 * k6's timings of an answer that came whole: getting a connection (`blocked`, with name look-up, connecting and TLS),
 * `sending`, `waiting` for the first byte, `receiving` to the last. Of a request that failed most are 0, so the clock
 * around the call stands for them.
 */
function exchangeOf(response: RefinedResponse<"text">, sentMs: number, tookMs: number, timeoutMs: number): Exchange {
  const { status, body, error, error_code: errorCode, headers, proto, timings } = response;
  const { blocked, connecting, sending, waiting, receiving } = timings;
  const begun = receiving > 0;
  const whole = status > 0;
  return {
    answer: {
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

/** The only answer that k6 throws for has the status 101. */
function otherProtocol(error: string, sentMs: number, tookMs: number): Exchange {
  const status = Number(/unsupported response status: (\d{3})/.exec(error)?.[1] ?? 0);
  const answer = { status, body: "", contentType: "", errorCode: 0, error, begun: status > 0, timeUp: false };
  return { answer, sentMs, e2e: tookMs, proto: "", retryAfter: undefined };
}
