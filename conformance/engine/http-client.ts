/**
 * The only HTTP client of conformance: sends one request, reads the response with its times within bounds of time and
 * memory, and returns both as they were; what is written of them is without secrets (`written-exchange.ts`). Redirects are
 * not followed.
 */

import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import { withOwnHeaders } from "../../contract/own-headers.ts";
import { API_PREFIX, bearer, JSON_MEDIA_TYPE } from "../../contract/service.ts";
import type { Answer, Exchange } from "../../formats/exchanges.ts";
import { codingsIn, UnreadCodingError } from "../../lib/content-coding.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { Connections } from "../../route/connections.ts";
import type { LeftOut, Tweaks } from "../model/probe.ts";
import { BodyReader, type ReadBudget, readBudget } from "./body-reader.ts";
import { failureOf } from "./failures.ts";
import { RequestTime, type RequestTimes } from "./request-time.ts";
import type { Connection } from "./target-connection.ts";
import { afterAbort } from "./waiting.ts";

/** Sent where a request shall carry a key that nobody was given. */
export const WRONG_KEY = "assay-not-a-valid-key";

/** Bytes that are kept of a body that the end of the run cut off. */
const KEPT_AT_THE_END = 64 * 1024;

/** How long after its end a request may take to notice; it is left behind then, whatever the socket does. */
const SETTLE_MS = 250;

export interface Outgoing extends Tweaks {
  readonly probe: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly isPatient?: true;
  readonly without?: LeftOut;
  /** Value of x-request-id. */
  readonly requestId: string;
  /** Ends the request from outside. */
  readonly signal: AbortSignal;
}

export interface ClientOptions extends Connection, RequestTimes {}

export interface Client {
  readonly send: (outgoing: Outgoing) => Promise<Exchange>;
  readonly close: () => Promise<void>;
}

/** Makes a client of one target. Ids of exchanges count from 1. */
export function httpClient(options: ClientOptions): Client {
  const connections = new Connections(options);
  const budget = readBudget();
  const time = new RequestTime(options);
  let sent = 0;
  return {
    send: async (outgoing) => {
      sent += 1;
      const id = sent;
      const headers = headersFor(outgoing, options);
      const { without, key = without === "bearer" ? "bare" : undefined } = outgoing;
      const url = options.target + (without === "prefix" ? outgoing.path.slice(API_PREFIX.length) : outgoing.path);
      // The clock of the machine may be set meanwhile; this one goes on from the start of the process.
      const startedAt = new Date(performance.timeOrigin + performance.now()).toISOString();
      const began = performance.now();
      const within = time.limit(outgoing.path, outgoing.isPatient);
      const { signal, clear } = timeLimit(within.ms, outgoing.signal);
      const late = afterAbort<Read>(signal, SETTLE_MS, () => ({ error: signal.reason }));
      const { answer, error } = await Promise.race([
        exchange(url, outgoing, headers, { connections, signal, budget }),
        late.promise,
      ]);
      late.clear();
      clear();
      const failure = error === undefined ? undefined : failureOf(error, outgoing.signal, within);
      if (failure === undefined && answer !== undefined && answer.status < 300 && !outgoing.isPatient)
        time.note(outgoing.path, answer.endMs);
      return {
        id,
        probe: outgoing.probe,
        request: {
          method: outgoing.method,
          url,
          headers,
          ...(outgoing.body !== undefined && { body: outgoing.body }),
          ...(key && { key }),
          ...(without === "prefix" && { prefix: "none" as const }),
        },
        ...(answer && { answer }),
        ...(failure && { failure: { ...failure, afterMs: Math.round(performance.now() - began) } }),
        startedAt,
      };
    },
    close: async () => {
      const late = afterAbort(AbortSignal.abort(), SETTLE_MS, () => undefined);
      await Promise.race([connections.destroy(), late.promise]);
      late.clear();
    },
  };
}

function headersFor(
  { requestId, body, without, key, keyName = "authorization", contentType }: Outgoing,
  { apiKey, headers, withoutHeader }: Connection,
): Record<string, string> {
  const sentKey = key === "none" ? undefined : key === "wrong" ? WRONG_KEY : apiKey;
  return {
    // What comes coded all the same is decoded: compression is permitted.
    ...withOwnHeaders({ requestId, body, headers, withoutHeader }),
    ...(sentKey && { [keyName]: key === "bare" || without === "bearer" ? sentKey : bearer(sentKey) }),
    ...(body !== undefined && contentType !== "none" && { "content-type": JSON_MEDIA_TYPE }),
  };
}

/** What came of a request; both when the response was cut. */
interface Read {
  readonly answer?: Answer;
  readonly error?: unknown;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly headersMs: number;
  readonly body: BodyReader;
}

async function exchange(
  url: string,
  { method, body, signal: outside }: Outgoing,
  headers: Record<string, string>,
  { connections, signal, budget }: { connections: Connections; signal: AbortSignal; budget: ReadBudget },
): Promise<Read> {
  const start = performance.now();
  const now = (): number => Math.round((performance.now() - start) * 1000) / 1000;
  let answer: RawAnswer | undefined;
  try {
    const response = await connections.request(url, {
      method,
      headers,
      body: body ?? null,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    answer = {
      status: response.statusCode,
      headers: response.headers,
      headersMs: now(),
      body: new BodyReader(budget),
    };
    await readBody(response.body, answer.body, now);
    return readOf(answer, now());
  } catch (error) {
    if (answer === undefined) return { error };
    // After the end of the run, there is no time to write much.
    if (outside.aborted) answer.body.cut(KEPT_AT_THE_END);
    return readOf(answer, now(), error);
  }
}

async function readBody(body: AsyncIterable<Buffer>, reader: BodyReader, now: () => number): Promise<void> {
  for await (const data of body) if (!reader.add(data, now())) break;
}

/** A response as it is recorded: text, whatever its coding. */
function readOf({ status, headers, headersMs, body }: RawAnswer, endMs: number, error?: unknown): Read {
  const merged = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
  const { bytes, problem, tooLong } = body.decoded(codingsIn(merged["content-encoding"]), error !== undefined);
  const answer: Answer = {
    status,
    headers: merged,
    body: bytes.toString("utf8"),
    ...(!isUtf8(bytes) && { base64: bytes.toString("base64") }),
    truncated: body.truncated || tooLong === true,
    chunks: body.chunks,
    headersMs,
    endMs,
  };
  const unread = problem === undefined ? undefined : new UnreadCodingError(problem);
  return { answer, error: error ?? unread };
}
