/** A receiver of metrics on loopback that keeps what it is sent, and breaks on demand. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import { closed, listenOnLoopback } from "./loopback-server.ts";

/** A request that came. */
export interface ReceivedMetrics {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface MetricsReceiver {
  readonly url: string;
  readonly received: readonly ReceivedMetrics[];
  /** Ends: later requests are refused. */
  close(): Promise<void>;
}

/** Starts a receiver. @param statusOf the status of its nth response, from 0 on; 200 when absent */
export async function startReceiver(statusOf: (nth: number) => number = () => 200): Promise<MetricsReceiver> {
  const received: ReceivedMetrics[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const status = statusOf(received.length);
      received.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(status, { "content-type": "application/x-protobuf" }).end();
    });
  });
  const url = await listenOnLoopback(server);
  return { url, received, close: () => closed(server) };
}
