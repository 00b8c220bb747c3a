/** The process that is measured: the mock, or a bare node:http server that answers the same. Steered over IPC. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type MockOptions, startMock } from "../mock-server/index.ts";

/** What the process says about itself when asked, after a collection of garbage. */
export interface Health {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly sockets: number;
  readonly timers: number;
}

export type Served = { readonly kind: "mock"; readonly options: MockOptions } | { readonly kind: "bare" };

const say = (message: object): void => void process.send?.(message);

function health(): Health {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const count = (wanted: string) => resources.filter((name) => name === wanted).length;
  return { heapBytes: heapUsed, rssBytes: rss, sockets: count("TCPSocketWrap"), timers: count("Timeout") };
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Reads a body and answers with as many bytes as the mock: what node itself can do at most. */
function bare(): void {
  const body = JSON.stringify({ text: "x".repeat(440) });
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      JSON.parse(Buffer.concat(parts).toString());
      response.writeHead(200, headers).end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address: AddressInfo | string | null = server.address();
    say({ port: typeof address === "object" ? address?.port : 0 });
  });
}

/** Does what the parent asks for. */
export async function serveFor(served: Served): Promise<void> {
  process.on("message", (asked) => say(asked === "cpu" ? { cpuUs: cpuUs() } : health()));
  process.on("disconnect", () => process.exit());
  if (served.kind === "bare") bare();
  else say({ port: (await startMock(served.options)).port });
}

if (process.send !== undefined) await serveFor(JSON.parse(process.argv[2] ?? "{}"));
