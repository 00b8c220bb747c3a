/** What the proxy asks of a connection to the target, whatever its version of HTTP. */

import type { RawHeaders } from "./forwarded-headers.ts";

/** A request, ready to be sent. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: RawHeaders;
  /** Whether a body follows. */
  readonly hasBody: boolean;
}

/** What comes back, in this order; `error` at any time, also with what one of these throws, and nothing after it. */
export interface ResponseEvents {
  /** The target asks for the body: 100 Continue. */
  readonly proceed: () => void;
  /** Another interim response, such as 103 Early Hints. */
  readonly interim: (status: number, headers: RawHeaders) => void;
  readonly head: (status: number, message: string, headers: RawHeaders, isLast: boolean) => void;
  readonly data: (chunk: Buffer) => void;
  readonly end: (trailers: RawHeaders) => void;
  readonly error: (error: Error) => void;
  /** The response was ended, since its client does not read it; nothing comes after it. */
  readonly unread: () => void;
  /** More of the request can be written. */
  readonly drain: () => void;
}

/** A request on its way. */
export interface Exchanging {
  /** @returns whether more can be written before `drain` */
  write(chunk: Buffer): boolean;
  end(trailers: RawHeaders): void;
  pause(): void;
  resume(): void;
  /** Ends both directions at once. */
  abort(): void;
}

/** The connections to the target that serve one connection of a client. */
export interface TargetConnection {
  send(request: ForwardedRequest, events: ResponseEvents): Exchanging;
  /** Closes what is idle; requests on their way go on. */
  close(): void;
}

/** Where requests go. */
export interface Target {
  /** Value of the Host header. */
  readonly host: string;
  /** @param closed called when the target closes the connection while it is idle */
  connect(closed: () => void): TargetConnection;
  close(): void;
}
