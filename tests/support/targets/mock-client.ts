/** A mock that is stopped after the test, and a client that never throws. */

import { onTestFinished } from "vitest";
import { JSON_MEDIA_TYPE } from "../../../contract/service.ts";
import { type Mock, type MockOptions, startMock } from "../../../mock-server/mock.ts";

/** A mock that responds immediately, stopped when the test is over. */
export async function mockFor(options: MockOptions = {}): Promise<Mock> {
  const mock = await startMock({ timing: "instant", ...options });
  onTestFinished(() => mock.stop());
  return mock;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout of the response. */
  readonly patienceMs?: number;
}

export interface Got {
  /** 0 when no complete response arrived. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly json: unknown;
  readonly error?: string;
}

export const KEY_HEADER = { authorization: "Bearer test-key" } as const;

/** Sends a request with a key and reads the complete response. */
export async function send({ url }: Pick<Mock, "url">, sent: Sent): Promise<Got> {
  const { path, body, headers = KEY_HEADER, patienceMs = 5000 } = sent;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  try {
    const response = await fetch(url + path, {
      method: sent.method ?? (body === undefined ? "GET" : "POST"),
      // Tests compare the bytes, so fetch may not request gzip by itself.
      headers: {
        "accept-encoding": "identity",
        ...headers,
        ...(text === undefined ? {} : { "content-type": JSON_MEDIA_TYPE }),
      },
      body: text ?? null,
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMs),
    });
    const got = await response.text();
    return { status: response.status, headers: response.headers, text: got, json: parsed(got) };
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    return { status: 0, headers: new Headers(), text: "", json: undefined, error: String(inner) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
