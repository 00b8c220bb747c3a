/** What the proxy tells about each exchange, while it passes through. Times are milliseconds from the arrival of the request. */

import type { RawHeaders } from "./forwarded-headers.ts";

/** A request as the client sent it. */
export interface SeenRequest {
  readonly method: string;
  /** The address that it was sent on to. */
  readonly url: string;
  readonly headers: RawHeaders;
  /** When it came, in milliseconds since 1970, with fractions. */
  readonly startedMs: number;
}

/**
 * Why an exchange did not come to its end: `client` when the client left or its request was refused, `target` with the error of
 * the target's side, `proxy` when the proxy was stopped or failed.
 */
export interface SeenFailure {
  readonly by: "client" | "target" | "proxy";
  readonly message: string;
  /** The code of the system, such as ECONNRESET; empty when there is none. */
  readonly code: string;
}

/** Takes what one exchange consists of. Chunks are valid during the call only: nothing may hold them back on their way. */
export interface ExchangeTap {
  requestData(chunk: Buffer): void;
  head(status: number, headers: RawHeaders, atMs: number): void;
  responseData(chunk: Buffer, atMs: number): void;
  /** Called once, when nothing more comes. */
  end(atMs: number, failure?: SeenFailure): void;
}

export type OpenTap = (request: SeenRequest) => ExchangeTap;
