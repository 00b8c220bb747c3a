/** HTTP/2 to the target, over TLS: the streams of all clients share sessions, as many as the target's limit of streams asks for. */

import * as http2 from "node:http2";
import { multiplexedHeaders } from "./forwarded-headers.ts";
import type { Exchanging, ForwardedRequest, ResponseEvents, Target } from "./forwarding.ts";
import type { TlsOptions } from "./http1-target.ts";

/** Flow control would otherwise hold back a long body at 64 KiB per round trip. */
const WINDOW = 8 * 1024 * 1024;

interface Session {
  readonly session: http2.ClientHttp2Session;
  streams: number;
}

/** @param url address of the target; of its path only the host is used */
export function http2Target(url: URL, tls: TlsOptions): Target {
  const sessions = new Set<Session>();
  const open = (): Session => {
    const session = http2.connect(url.origin, { ...tls, settings: { initialWindowSize: WINDOW, enablePush: false } });
    const entry = { session, streams: 0 };
    sessions.add(entry);
    session.on("connect", () => session.setLocalWindowSize(WINDOW));
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
      send: (request, events) => {
        const entry = free();
        entry.streams += 1;
        const stream = entry.session.request(headersOf(request, url), { endStream: !request.hasBody });
        stream.once("close", () => {
          entry.streams -= 1;
        });
        return exchangeOf(stream, events);
      },
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

function exchangeOf(stream: http2.ClientHttp2Stream, events: ResponseEvents): Exchanging {
  let over = false;
  let trailers: string[] = [];
  const fail = (error: Error): void => {
    if (over) return;
    over = true;
    events.error(error);
  };
  stream.on("continue", events.proceed);
  stream.on("headers", (headers) => {
    const status = Number(headers[":status"]);
    if (status !== 100) events.interim(status, flat(headers));
  });
  stream.on("drain", events.drain);
  stream.on("error", fail);
  stream.on("aborted", () => fail(new Error("the target reset the stream")));
  stream.on("response", (headers) => events.head(Number(headers[":status"]), "", flat(headers), false));
  stream.on("trailers", (headers) => {
    trailers = flat(headers);
  });
  stream.on("data", events.data);
  stream.on("end", () => {
    // A stream that is reset ends too; its code is known by then.
    if (stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR) return;
    if (over) return;
    over = true;
    events.end(trailers);
  });
  stream.on("close", () => fail(new Error(`the target reset the stream with code ${stream.rstCode}`)));
  return {
    write: (chunk) => stream.write(chunk),
    // Trailers of a request are left out: nothing that this interface is used for has any.
    end: () => void stream.end(),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    abort: () => {
      over = true;
      stream.close(http2.constants.NGHTTP2_CANCEL);
    },
  };
}

/** Headers of HTTP/2 as a flat list, without those that begin with a colon. */
const flat = (headers: http2.IncomingHttpHeaders): string[] =>
  Object.entries(headers)
    .filter(([name]) => !name.startsWith(":"))
    .flatMap(([name, value]) => [value ?? []].flat().flatMap((each) => [name, each]));
