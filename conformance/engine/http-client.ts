/**
 * The only HTTP client of conformance: sends one request, reads the response with its times, and records both without
 * secrets. Redirects are not followed.
 */

import { type Dispatcher, request } from "undici";
import { bearer, JSON_MEDIA_TYPE } from "../../contract/service.ts";
import type { Answer, Exchange } from "../../formats/exchanges.ts";
import { redactor } from "../../lib/redact.ts";
import type { Tweaks } from "../model/probe.ts";
import { failureOf } from "./failures.ts";
import { type Connection, dispatcherOf } from "./target-connection.ts";

/** Most bytes of a body that are read. */
export const BODY_CAP = 8 * 1024 * 1024;
/** Once the bodies of a run are longer than this together, no more is read of each than `LATE_BODY_CAP`. */
export const BODIES_CAP = 4 * BODY_CAP;
export const LATE_BODY_CAP = 64 * 1024;
const WRONG_KEY = "assay-not-a-valid-key";
const wrongKey = { authorization: bearer(WRONG_KEY) };

export interface Outgoing extends Tweaks {
  readonly probe: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  /** Value of x-request-id. */
  readonly requestId: string;
  /** Ends the request from outside. */
  readonly signal: AbortSignal;
}

export interface ClientOptions extends Connection {
  readonly timeoutMs: number;
}

export interface Client {
  readonly send: (outgoing: Outgoing) => Promise<Exchange>;
  readonly close: () => Promise<void>;
}

/** Makes a client of one target. Ids of exchanges count from 1. */
export function httpClient(options: ClientOptions): Client {
  const dispatcher = dispatcherOf(options);
  const extra = options.headers ?? {};
  const redact = redactor([...(options.apiKey ? [options.apiKey] : []), ...Object.values(extra)], Object.keys(extra));
  let sent = 0;
  let bodyBytes = 0;
  return {
    send: async (outgoing) => {
      sent += 1;
      const id = sent;
      const headers = headersFor(outgoing, options.apiKey, extra);
      const url = options.target + outgoing.path;
      const startedAt = new Date().toISOString();
      const signal = AbortSignal.any([outgoing.signal, AbortSignal.timeout(options.timeoutMs)]);
      const cap = (): number => (bodyBytes < BODIES_CAP ? BODY_CAP : LATE_BODY_CAP);
      const { answer, error } = await exchange(url, outgoing, headers, { dispatcher, signal, cap });
      bodyBytes += answer?.chunks.reduce((sum, { data }) => sum + data.length, 0) ?? 0;
      const failure = error === undefined ? undefined : failureOf(error, outgoing.signal, options.timeoutMs);
      return {
        id,
        probe: outgoing.probe,
        request: {
          method: outgoing.method,
          url: redact.text(url),
          // The wrong key is not a secret, and the evidence has to show it.
          headers: { ...redact.headers(headers), ...(outgoing.key === "wrong" && wrongKey) },
          ...(outgoing.body !== undefined && { body: redact.text(outgoing.body) }),
          ...(outgoing.key && { key: outgoing.key }),
        },
        ...(answer && {
          answer: recordOf(answer, error === undefined && !answer.truncated ? redact.text : redact.cutText),
        }),
        ...(failure && { failure: { ...failure, message: redact.text(failure.message) } }),
        startedAt,
      };
    },
    close: () => dispatcher.destroy(),
  };
}

function headersFor(
  { requestId, body, key, contentType }: Outgoing,
  apiKey: string | undefined,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const sentKey = key === "none" ? undefined : key === "wrong" ? WRONG_KEY : apiKey;
  return {
    ...extra,
    "x-request-id": requestId,
    ...(sentKey && { authorization: bearer(sentKey) }),
    ...(body !== undefined && contentType !== "none" && { "content-type": JSON_MEDIA_TYPE }),
  };
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly chunks: { atMs: number; data: Buffer }[];
  readonly headersMs: number;
  truncated: boolean;
  endMs: number;
}

async function exchange(
  url: string,
  { method, body }: Outgoing,
  headers: Record<string, string>,
  { dispatcher, signal, cap }: { dispatcher: Dispatcher; signal: AbortSignal; cap: () => number },
): Promise<{ answer?: RawAnswer; error?: unknown }> {
  const start = performance.now();
  const now = (): number => Math.round((performance.now() - start) * 1000) / 1000;
  let answer: RawAnswer | undefined;
  try {
    const response = await request(url, {
      method,
      headers,
      body: body ?? null,
      dispatcher,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const headersMs = now();
    answer = {
      status: response.statusCode,
      headers: response.headers,
      chunks: [],
      headersMs,
      truncated: false,
      endMs: headersMs,
    };
    await readBody(response.body, answer, now, cap());
    return { answer };
  } catch (error) {
    if (answer === undefined) return { error };
    answer.endMs = now();
    return { answer, error };
  }
}

async function readBody(body: AsyncIterable<Buffer>, answer: RawAnswer, now: () => number, cap: number): Promise<void> {
  let read = 0;
  for await (const data of body) {
    const kept = data.subarray(0, cap - read);
    read += kept.length;
    answer.chunks.push({ atMs: now(), data: kept });
    if (kept.length === data.length) continue;
    answer.truncated = true;
    break;
  }
  answer.endMs = now();
}

function recordOf(raw: RawAnswer, redact: (text: string) => string): Answer {
  const bytes = Buffer.concat(raw.chunks.map(({ data }) => data));
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(bytes);
  const headers = Object.entries(raw.headers).map(([name, value]) => [name, redact([value ?? ""].flat().join(", "))]);
  return {
    status: raw.status,
    headers: Object.fromEntries(headers),
    body: redact(text),
    ...(!isText && { base64: Buffer.from(redact(bytes.toString("latin1")), "latin1").toString("base64") }),
    truncated: raw.truncated,
    chunks: raw.chunks.map(({ atMs, data }) => ({ atMs, bytes: data.length })),
    headersMs: raw.headersMs,
    endMs: raw.endMs,
  };
}
