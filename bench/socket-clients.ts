/** Clients on raw sockets: an HTTP library would use CPU time that the measurement needs. */

import { connect, type Socket } from "node:net";

/** An HTTP/1.1 request with an API key, as it is sent. */
export function requestBytes(path: string, body: object, id?: string): string {
  const text = JSON.stringify(body);
  const named = id === undefined ? "" : `X-Request-Id: ${id}\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer bench\r\n${named}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Sends the same request `count` times over some connections, one at a time on each; returns requests/s. */
export async function sendBurst(port: number, request: string, count: number, connections = 32): Promise<number> {
  const startedMs = performance.now();
  const share = Math.ceil(count / connections);
  await Promise.all(Array.from({ length: connections }, () => sendOnOne(port, request, share)));
  return (1000 * share * connections) / (performance.now() - startedMs);
}

/** Sends on one connection. All responses have the length of the first, so that counting bytes finds the end of each. */
function sendOnOne(port: number, request: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let [left, bytes] = [count, 0];
    let length: number | undefined;
    socket.on("error", reject);
    socket.on("data", (part: Buffer) => {
      length ??= lengthOf(part);
      bytes += part.length;
      if (bytes < length) return;
      if (bytes > length) reject(new Error("Cannot count responses: they differ in length."));
      bytes = 0;
      left -= 1;
      if (left > 0) socket.write(request);
      else socket.end(() => resolve());
    });
    socket.write(request);
  });
}

function lengthOf(part: Buffer): number {
  const text = part.toString("latin1");
  const body = /content-length: (\d+)/i.exec(text)?.[1];
  if (!text.startsWith("HTTP/1.1 2") || body === undefined) {
    throw new Error(`Cannot count responses: the first is ${JSON.stringify(text.slice(0, 200))}.`);
  }
  return text.indexOf("\r\n\r\n") + 4 + Number(body);
}

/** Opens a stream; resolves when it has ended. */
export function readStream(port: number, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("error", reject);
    socket.on("data", (part: Buffer) => {
      if (part.includes("[DONE]")) socket.end();
    });
    socket.on("close", () => resolve());
    socket.write(request);
  });
}

/** Opens a stream and resets the connection after its first bytes. */
export function abortStream(port: number, request: string): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.once("data", () => socket.resetAndDestroy());
    socket.once("close", () => resolve());
    socket.write(request);
  });
}
