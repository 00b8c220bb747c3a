/**
 * The way back to one client, over HTTP/1.1 or HTTP/2. It calls the methods of node's own responses, since mockttp's
 * replacements copy every byte to a stream that nobody reads here.
 */

import { ServerResponse } from "node:http";
import { Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import { Socket } from "node:net";

export type Headers = Readonly<Record<string, string>>;

export interface ResponseWriter {
  readonly headersSent: boolean;
  /** The client reads slower than it is written to. */
  readonly isFull: boolean;
  /** The whole answer was handed to the system. */
  readonly isFinished: boolean;
  /** Calls once the exchange is over, for whatever reason. */
  onClose(then: () => void): void;
  /** Holds writes back until `uncork`, so that they go out as one. */
  cork(): void;
  uncork(): void;
  /** Sends the headers now. */
  head(status: number, headers: Headers): void;
  /** Over HTTP/1.1 the system has the bytes when it returns, unless writes are held back or the client reads too slowly. */
  write(bytes: string | Buffer): void;
  end(bytes?: string | Buffer): void;
  /** Writes past the framing of HTTP/1.1; HTTP/2 has no such framing to break, so there it writes nothing. */
  raw(bytes: string | Buffer): void;
  /** Ends before the framing of the answer does: HTTP/1.1 closes the connection; HTTP/2 too, other streams with it. */
  cut(): void;
  /** Ends rudely: a TCP reset, or RST_STREAM with INTERNAL_ERROR, which leaves other streams alone. */
  reset(): void;
}

/** The line of a response. */
export const writerFor = (res: ServerResponse | Http2ServerResponse): ResponseWriter =>
  res instanceof Http2ServerResponse ? new Http2Writer(res) : new Http1Writer(res);

const plain = ServerResponse.prototype;

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
  cork(): void {
    this.#res.socket?.cork();
  }
  uncork(): void {
    this.#res.socket?.uncork();
  }
  head(status: number, headers: Headers): void {
    Reflect.apply(plain.writeHead, this.#res, [status, headers]);
    // An answer of known length goes out in one write with its headers.
    if (headers["content-length"] === undefined) this.#res.flushHeaders();
  }
  write(bytes: string | Buffer): void {
    const { socket, chunkedEncoding, headersSent } = this.#res;
    // Node holds a chunk back until all that is due in this turn was written, and takes four parts for each.
    if (socket !== null && chunkedEncoding && headersSent) writeChunk(socket, bytes);
    else Reflect.apply(plain.write, this.#res, [bytes]);
  }
  end(bytes?: string | Buffer): void {
    Reflect.apply(plain.end, this.#res, bytes === undefined ? [] : [bytes]);
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
  // A text that has as many bytes as units is ASCII, and that is written fastest.
  else socket.write(`${head}${bytes}\r\n`, size === bytes.length ? "latin1" : "utf8");
}
const CRLF = Buffer.from("\r\n");

const multiplexed = Http2ServerResponse.prototype;
/** Of HTTP/2 (RFC 9113, section 7). */
const INTERNAL_ERROR = 2;
/** Headers that HTTP/2 forbids (RFC 9113, section 8.2.2). */
const FORBIDDEN = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

class Http2Writer implements ResponseWriter {
  readonly #res: Http2ServerResponse;
  /** The response lets go of it at the close. */
  readonly #stream: ServerHttp2Stream;
  /** Node ends a stream by itself when the client resets it, so its own flags do not tell who ended it. */
  #ended = false;

  constructor(res: Http2ServerResponse) {
    this.#res = res;
    this.#stream = res.stream;
    // mockttp 4.6.5 asks for `destroyed` when a client has left, which node's responses of HTTP/2 do not have.
    res.once("close", () => Object.defineProperty(res, "destroyed", { value: true }));
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
  // Node gathers what is written to a session in one turn, and sends it at the end of the turn.
  cork(): void {}
  uncork(): void {}
  head(status: number, headers: Headers): void {
    const allowed = Object.fromEntries(Object.entries(headers).filter(([name]) => !FORBIDDEN.has(name)));
    Reflect.apply(multiplexed.writeHead, this.#res, [status, allowed]);
  }
  write(bytes: string | Buffer): void {
    Reflect.apply(multiplexed.write, this.#res, [bytes]);
  }
  end(bytes?: string | Buffer): void {
    this.#ended = true;
    Reflect.apply(multiplexed.end, this.#res, bytes === undefined ? [] : [bytes]);
  }
  raw(): void {}
  cut(): void {
    // What was written is flushed first, so that the client sees a stream that stops and not one that never began.
    setImmediate(() => this.#stream.session?.destroy());
  }
  reset(): void {
    this.#stream.close(INTERNAL_ERROR);
  }
}
