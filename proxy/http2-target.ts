/** HTTP/2 to the target, over TLS: the streams of all clients share sessions, as many as the target's limit of streams asks for. */

import * as http2 from "node:http2";
import { contain } from "./containment.ts";
import { multiplexedHeaders } from "./forwarded-headers.ts";
import type { Exchanging, ForwardedRequest, ResponseEvents, Target } from "./forwarding.ts";
import type { HeldBytes, UnreadBytes } from "./held-bytes.ts";
import { passRest, type TlsOptions } from "./http1-target.ts";

/** Bytes of a response that are held when its client reads none of it. Node's own 64 KiB would hold back one that is read. */
const STREAM_WINDOW = 256 * 1024;
/** Bytes of all streams of a session that may be on their way; what arrives does not count. */
const SESSION_WINDOW = 8 * 1024 * 1024;

interface Session {
  readonly session: http2.ClientHttp2Session;
  streams: number;
}

/** @param url address of the target; of its path only the host is used. @param held by all exchanges. @param unread by all clients */
export function http2Target(url: URL, tls: TlsOptions, held: HeldBytes, unread: UnreadBytes): Target {
  const sessions = new Set<Session>();
  const open = (): Session => {
    const session = http2.connect(url.origin, {
      ...tls,
      settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
    });
    const entry = { session, streams: 0 };
    sessions.add(entry);
    contain(session, () => session.destroy());
    session.on("connect", () => session.setLocalWindowSize(SESSION_WINDOW));
    const gone = (): void => void sessions.delete(entry);
    // Its streams report the errors of a session.
    session.on("error", gone).on("close", gone).on("goaway", gone);
    return entry;
  };
  const free = (): Session =>
    [...sessions].find(
      ({ session, streams }) =>
        !session.closed && !session.destroyed && streams < (session.remoteSettings?.maxConcurrentStreams ?? 100),
    ) ?? open();
  return {
    host: url.host,
    connect: () => ({
      send: (request, events) =>
        new Http2Exchange(events, { held, unread }, () => {
          const entry = free();
          entry.streams += 1;
          const stream = entry.session.request(headersOf(request, url), { endStream: !request.hasBody });
          stream.once("close", () => {
            entry.streams -= 1;
            // Its other streams go on; what is sent again goes to another session.
            if (stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM) entry.session.close();
          });
          return stream;
        }),
      close: () => undefined,
    }),
    close: () => {
      for (const { session } of sessions) session.destroy();
    },
  };
}

const headersOf = ({ method, path, headers }: ForwardedRequest, url: URL): http2.OutgoingHttpHeaders => ({
  ":method": method,
  ":path": path,
  ":scheme": "https",
  ":authority": url.host,
  ...multiplexedHeaders(headers),
});

/** How often a request is sent that the target refuses to process. */
const MOST_SENDINGS = 3;
/** Bytes of a request body that are kept, so that it can be sent again. */
const MOST_KEPT = 1024 * 1024;

/** What all exchanges share. */
interface Memory {
  readonly held: HeldBytes;
  readonly unread: UnreadBytes;
}

/** A request; sent again when the target says that it did not process it (RFC 9113, section 8.7). */
class Http2Exchange implements Exchanging {
  readonly #events: ResponseEvents;
  readonly #held: HeldBytes;
  readonly #unread: UnreadBytes;
  readonly #open: () => http2.ClientHttp2Stream;
  #stream: http2.ClientHttp2Stream;
  #sendings = 0;
  /** What was written of the body; undefined once the request cannot be sent again. */
  #kept: Buffer[] | undefined = [];
  #keptBytes = 0;
  #isWritten = false;
  #over = false;

  constructor(events: ResponseEvents, { held, unread }: Memory, open: () => http2.ClientHttp2Stream) {
    this.#events = events;
    this.#held = held;
    this.#unread = unread;
    this.#open = open;
    this.#stream = this.#send();
  }

  write(chunk: Buffer): boolean {
    this.#keep(chunk);
    return this.#stream.write(chunk);
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined) return;
    if (this.#keptBytes + chunk.length > MOST_KEPT || !this.#held.take(chunk.length)) this.#keepNothing();
    else {
      this.#keptBytes += chunk.length;
      this.#kept.push(chunk);
    }
  }

  #keepNothing(): void {
    this.#held.give(this.#keptBytes);
    this.#keptBytes = 0;
    this.#kept = undefined;
  }

  /** Trailers of a request are left out: nothing that this interface is used for has any. */
  end(): void {
    this.#isWritten = true;
    this.#stream.end();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  abort(): void {
    this.#end();
    this.#stream.close(http2.constants.NGHTTP2_CANCEL);
  }

  #send(): http2.ClientHttp2Stream {
    const events = this.#events;
    const stream = this.#open();
    const arrived = watchEnd(stream, () => this.#count(stream));
    let trailers: string[] = [];
    let passed = 0;
    let isBegun = false;
    const pass = (chunk: Buffer): void => {
      passed += chunk.length;
      events.data(chunk);
    };
    const end = (): void => {
      this.#end();
      events.end(trailers);
    };
    const failed = (error: Error): void => {
      // What is refused is sent again once its session is known to be closed to new streams.
      if (this.#over || this.#isRefused(stream)) return;
      if (isBegun) passRest(stream, pass);
      // The connection can end after the mark of the end has arrived and before all of the response was read.
      if (isBegun && arrived.isWhole && passed === arrived.bytes) end();
      else this.#fail(error);
    };
    this.#sendings += 1;
    contain(stream, (error) => this.#fail(error));
    stream.on("continue", events.proceed);
    stream.on("headers", (headers) => {
      const status = Number(headers[":status"]);
      if (status !== 100) events.interim(status, flat(headers));
    });
    stream.on("drain", events.drain);
    stream.on("error", failed);
    stream.on("aborted", () => failed(new Error("the target reset the stream")));
    stream.on("response", (headers) => {
      this.#keepNothing();
      isBegun = true;
      events.head(Number(headers[":status"]), "", flat(headers), false);
      // Node emits this event a tick later than data that arrived with the headers: to read it before would send a body without them.
      stream.on("data", (chunk: Buffer) => {
        pass(chunk);
        this.#count(stream);
      });
    });
    stream.on("trailers", (headers) => {
      trailers = flat(headers);
    });
    stream.on("end", () => {
      if (!this.#over && arrived.isWhole) end();
    });
    stream.on("close", () => {
      if (this.#isRefused(stream) && !this.#over) this.#sendAgain();
      else failed(new Error(cutReason(stream.rstCode)));
    });
    return stream;
  }

  #isRefused({ rstCode }: http2.ClientHttp2Stream): boolean {
    const isRefused = rstCode === http2.constants.NGHTTP2_REFUSED_STREAM;
    return isRefused && this.#kept !== undefined && this.#sendings < MOST_SENDINGS;
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#end();
    this.#events.error(error);
  }

  #end(): void {
    this.#over = true;
    this.#keepNothing();
    this.#unread.set(this.#cancel, 0);
  }

  #count({ readableLength }: http2.ClientHttp2Stream): void {
    if (!this.#over) this.#unread.set(this.#cancel, readableLength);
  }

  #cancel = (): void => {
    this.abort();
    this.#events.unread();
  };

  #sendAgain(): void {
    this.#stream = this.#send();
    let isFree = true;
    for (const chunk of this.#kept ?? []) isFree = this.#stream.write(chunk);
    if (this.#isWritten) this.#stream.end();
    else if (isFree) this.#events.drain();
  }
}

const cutReason = (code: number | undefined): string =>
  code === undefined || code === http2.constants.NGHTTP2_NO_ERROR
    ? "the target ended the connection within the response"
    : `the target reset the stream with code ${code}`;

/** What has arrived of a response: how much, and whether the mark of its end has. */
interface Arrived {
  bytes: number;
  isWhole: boolean;
}

/**
 * Watches a response come to its end, which END_STREAM marks. Node ends a stream that the connection leaves behind in the same
 * way, sometimes without any error; but it closes such a stream before, and one whose mark came after.
 * @param pushed called when more of it has arrived
 */
function watchEnd(stream: http2.ClientHttp2Stream, pushed: () => void): Readonly<Arrived> {
  const push = stream.push.bind(stream);
  const arrived: Arrived = { bytes: 0, isWhole: false };
  stream.push = (chunk, encoding) => {
    if (Buffer.isBuffer(chunk)) arrived.bytes += chunk.length;
    if (chunk === null && !stream.closed) arrived.isWhole = true;
    const takesMore = push(chunk, encoding);
    pushed();
    return takesMore;
  };
  return arrived;
}

/** Headers of HTTP/2 as a flat list, without those that begin with a colon. */
const flat = (headers: http2.IncomingHttpHeaders): string[] =>
  Object.entries(headers)
    .filter(([name]) => !name.startsWith(":"))
    .flatMap(([name, value]) => [value ?? []].flat().flatMap((each) => [name, each]));
