/** What passed through, as a recorded exchange: text of the bodies, whatever their coding, and times. */

import { isUtf8 } from "node:buffer";
import type { Answer, Exchange } from "../formats/exchanges.ts";
import { SIZE_LIMITS } from "../formats/outcomes.ts";
import { codingsIn, decoded } from "../lib/content-coding.ts";
import { headerOf, pairsOf, type RawHeaders } from "./forwarded-headers.ts";
import type { SeenFailure, SeenRequest } from "./tap.ts";

/** Most bytes that are kept of a body, and that a compressed one may become. */
export const MOST_BODY = SIZE_LIMITS.checked;

/** Stands for the probe of exchanges that no probe sent. */
export const TRAFFIC = "traffic";

/** An exchange that is over, without its bodies. */
export interface SeenExchange {
  readonly request: SeenRequest;
  readonly response?: {
    readonly status: number;
    readonly headers: RawHeaders;
    readonly headersMs: number;
    readonly chunks: Answer["chunks"];
  };
  readonly endMs: number;
  readonly failure?: SeenFailure;
  /** A body was longer than what is kept. */
  readonly truncated: { readonly request: boolean; readonly response: boolean };
}

const KINDS: Readonly<Record<string, NonNullable<Exchange["failure"]>["kind"]>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "timeout",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
};

/** What is recorded of a request before its body. */
export const recordedRequest = ({ method, url, headers }: SeenRequest): Exchange["request"] => ({
  method,
  url,
  headers: merged(headers),
});

/** Makes a record of an exchange and its bodies. */
export function recordedExchange(
  id: number,
  seen: SeenExchange,
  bodies: { request: Buffer; response: Buffer },
): Exchange {
  const { request, response, failure } = seen;
  const withoutCoding = (body: Buffer, headers: RawHeaders) =>
    decoded(body, codingsIn(headerOf(headers, "content-encoding")), MOST_BODY, failure !== undefined);
  const sent = withoutCoding(bodies.request, request.headers);
  const received = response && withoutCoding(bodies.response, response.headers);
  const isTooLong = sent.tooLong === true || received?.tooLong === true;
  const unread = received?.problem ?? sent.problem;
  const broken = failure === undefined ? unread && { kind: "coding" as const, message: unread } : failureOf(failure);
  return {
    id,
    probe: TRAFFIC,
    request: {
      ...recordedRequest(request),
      ...(sent.bytes.length > 0 && { body: sent.bytes.toString("utf8") }),
    },
    ...(response &&
      received && {
        answer: {
          status: response.status,
          headers: merged(response.headers),
          body: received.bytes.toString("utf8"),
          ...(!isUtf8(received.bytes) && { base64: received.bytes.toString("base64") }),
          truncated: seen.truncated.response || seen.truncated.request || isTooLong,
          chunks: response.chunks,
          headersMs: response.headersMs,
          endMs: seen.endMs,
        },
      }),
    ...(broken && { failure: broken }),
    startedAt: withMicroseconds(request.startedMs),
  };
}

function failureOf({ by, code, message }: SeenFailure): NonNullable<Exchange["failure"]> {
  if (by !== "target") return { kind: "client", message };
  return { kind: KINDS[code] ?? (/CERT|TLS|SSL|SELF_SIGNED/.test(code) ? "tls" : "other"), message };
}

/** Headers by name, in lower case; several of one name are joined. */
function merged(headers: RawHeaders): Record<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of pairsOf(headers)) {
    const lower = name.toLowerCase();
    const before = byName.get(lower);
    byName.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(byName);
}

/** A time as ISO 8601 with microseconds. @param ms milliseconds since 1970, with fractions */
function withMicroseconds(ms: number): string {
  const us = Math.round((ms - Math.floor(ms)) * 1_000);
  const whole = new Date(Math.floor(ms) + (us === 1_000 ? 1 : 0)).toISOString();
  return whole.replace("Z", `${String(us % 1_000).padStart(3, "0")}Z`);
}
