/** Clients of the bench, on raw sockets: a core spent on a comfortable client would be missing to measure with. */

import { connect, type Socket } from "node:net";

/** A request of HTTP/1.1 with a key, as bytes. */
export function requestBytes(path: string, body: object, id?: string): string {
  const text = JSON.stringify(body);
  const named = id === undefined ? "" : `X-Request-Id: ${id}\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer bench\r\n${named}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Sends the same request `count` times over some connections, one at a time on each; gives the requests a second. */
export async function hammer(port: number, request: string, count: number, connections = 32): Promise<number> {
  const startedMs = performance.now();
  const share = Math.ceil(count / connections);
  await Promise.all(Array.from({ length: connections }, () => lane(port, request, share)));
  return (1000 * share * connections) / (performance.now() - startedMs);
}

/** Every answer to the same request has the same length, so bytes tell when one is whole. */
function lane(port: number, request: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let [left, bytes] = [count, 0];
    let length: number | undefined;
    socket.on("error", reject);
    socket.on("data", (part: Buffer) => {
      length ??= lengthOf(part);
      bytes += part.length;
      if (bytes < length) return;
      if (bytes > length) reject(new Error("Cannot count answers: they differ in length."));
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
    throw new Error(`Cannot count answers: the first is ${JSON.stringify(text.slice(0, 200))}.`);
  }
  return text.indexOf("\r\n\r\n") + 4 + Number(body);
}

/** Opens a stream; gives the times at which its chunks of content came. */
export function stream(port: number, request: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const at: number[] = [];
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("error", reject);
    socket.on("data", (part: Buffer) => {
      const nowMs = performance.now();
      const text = part.toString("latin1");
      for (let i = text.indexOf('"delta":{"content"'); i >= 0; i = text.indexOf('"delta":{"content"', i + 1))
        at.push(nowMs);
      if (text.includes("[DONE]")) socket.end();
    });
    socket.on("close", () => resolve(at));
    socket.write(request);
  });
}

/** Begins a stream and resets the connection once some of it has come. */
export function kill(port: number, request: string): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.once("data", () => socket.resetAndDestroy());
    socket.once("close", () => resolve());
    socket.write(request);
  });
}
