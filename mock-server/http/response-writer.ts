/** Writes a response to one client, over HTTP/1.1 or HTTP/2. */

import type { ServerResponse } from "node:http";
import { Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import { Socket } from "node:net";

export type Headers = Readonly<Record<string, string>>;

export interface ResponseWriter {
  readonly headersSent: boolean;
  /** The client reads more slowly than the mock writes. */
  readonly isFull: boolean;
  /** The whole response was passed to the operating system. */
  readonly isFinished: boolean;
  /** Calls `then` once the exchange is over, for whatever reason. */
  onClose(then: () => void): void;
  /** Asks a client that waits for it to send its body: 100 Continue. */
  proceed(): void;
  /** Holds writes back until `uncork`, so that they are sent as one. */
  cork(): void;
  uncork(): void;
  /** Sends the headers now. */
  head(status: number, headers: Headers): void;
  /** Over HTTP/1.1 the operating system has the bytes on return, unless writes are held back or the client reads too slowly. */
  write(bytes: string | Buffer): void;
  end(bytes?: string | Buffer): void;
  /** Writes without the framing of HTTP/1.1; over HTTP/2 it writes nothing. */
  raw(bytes: string | Buffer): void;
  /** Closes the connection before the framing of the response ends; over HTTP/2 this ends its other streams too. */
  cut(): void;
  /** Resets: TCP RST over HTTP/1.1, RST_STREAM with INTERNAL_ERROR over HTTP/2, where other streams continue. */
  reset(): void;
}

/** The writer for a response of Node. */
export const writerFor = (res: ServerResponse | Http2ServerResponse): ResponseWriter =>
  res instanceof Http2ServerResponse ? new Http2Writer(res) : new Http1Writer(res);

class Http1Writer implements ResponseWriter {
  readonly #res: ServerResponse;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  get headersSent(): boolean {
    return this.#res.headersSent;
  }
  get isFull(): boolean {
    return this.#res.writableNeedDrain || this.#res.socket?.writableNeedDrain === true;
  }
  get isFinished(): boolean {
    return this.#res.writableFinished;
  }
  onClose(then: () => void): void {
    this.#res.once("close", then);
  }
  proceed(): void {
    this.#res.writeContinue();
  }
  cork(): void {
    this.#res.socket?.cork();
  }
  uncork(): void {
    this.#res.socket?.uncork();
  }
  head(status: number, headers: Headers): void {
    this.#res.writeHead(status, headers);
    // A response of known length is sent in one write with its headers.
    if (headers["content-length"] === undefined) this.#res.flushHeaders();
  }
  write(bytes: string | Buffer): void {
    const { socket, chunkedEncoding, headersSent } = this.#res;
    // Node holds a chunk back until the end of the turn, and writes it in four parts.
    if (socket !== null && chunkedEncoding && headersSent) writeChunk(socket, bytes);
    else this.#res.write(bytes);
  }
  end(bytes?: string | Buffer): void {
    this.#res.end(bytes);
  }
  raw(bytes: string | Buffer): void {
    this.#res.socket?.write(bytes);
  }
  cut(): void {
    this.#res.socket?.destroySoon();
  }
  reset(): void {
    const { socket } = this.#res;
    // Over TLS only the socket below can be reset.
    const below: unknown = socket === null ? undefined : Reflect.get(socket, "_parent");
    (below instanceof Socket ? below : socket)?.resetAndDestroy();
  }
}

/** Writes a chunk of HTTP/1.1 (RFC 9112, section 7.1). */
function writeChunk(socket: Socket, bytes: string | Buffer): void {
  if (bytes.length === 0) return;
  const size = Buffer.byteLength(bytes);
  const head = `${size.toString(16)}\r\n`;
  if (typeof bytes !== "string") socket.write(Buffer.concat([Buffer.from(head), bytes, CRLF]));
  // A string with as many bytes as UTF-16 units is ASCII, for which latin1 is fastest.
  else socket.write(`${head}${bytes}\r\n`, size === bytes.length ? "latin1" : "utf8");
}
const CRLF = Buffer.from("\r\n");

/** Error code of HTTP/2 (RFC 9113, section 7). */
const INTERNAL_ERROR = 2;
/** Headers that HTTP/2 forbids (RFC 9113, section 8.2.2). */
const FORBIDDEN = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

class Http2Writer implements ResponseWriter {
  readonly #res: Http2ServerResponse;
  /** Kept, since the response drops it when it closes. */
  readonly #stream: ServerHttp2Stream;
  /** Node ends a stream when the client resets it, so its own flags do not say who ended it. */
  #ended = false;

  constructor(res: Http2ServerResponse) {
    this.#res = res;
    this.#stream = res.stream;
  }

  get headersSent(): boolean {
    return this.#res.headersSent;
  }
  get isFull(): boolean {
    return this.#stream.writableNeedDrain;
  }
  get isFinished(): boolean {
    return this.#ended && this.#stream.rstCode === 0;
  }
  onClose(then: () => void): void {
    this.#res.once("close", then);
  }
  proceed(): void {
    // Node throws when the client has reset the stream or left.
    if (!this.#stream.destroyed && !this.#stream.closed) this.#res.writeContinue();
  }
  // Node collects the writes to a session in one turn and sends them at the end of the turn.
  cork(): void {}
  uncork(): void {}
  head(status: number, headers: Headers): void {
    const allowed = Object.fromEntries(Object.entries(headers).filter(([name]) => !FORBIDDEN.has(name)));
    this.#res.writeHead(status, allowed);
  }
  write(bytes: string | Buffer): void {
    this.#res.write(bytes);
  }
  end(bytes?: string | Buffer): void {
    this.#ended = true;
    if (bytes === undefined) this.#res.end();
    else this.#res.end(bytes);
  }
  raw(): void {}
  cut(): void {
    // The bytes written so far are flushed first, so that the client receives a stream that stops, not an empty one.
    setImmediate(() => this.#stream.session?.destroy());
  }
  reset(): void {
    this.#stream.close(INTERNAL_ERROR);
  }
}
