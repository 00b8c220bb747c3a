/** The server process that is measured: the mock, or a bare node:http server. Its parent controls it over IPC. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startMock } from "../mock-server/index.ts";
import type { Resources, Served } from "./server-process.ts";

const reply = (message: object): void => void process.send?.(message);

function resources(): Resources {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const active = process.getActiveResourcesInfo();
  const count = (wanted: string) => active.filter((name) => name === wanted).length;
  return { heapBytes: heapUsed, rssBytes: rss, sockets: count("TCPSocketWrap"), timers: count("Timeout") };
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Reads the request body and responds with as many bytes as the mock: the upper bound that node itself sets. */
function serveBare(): void {
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
    reply({ port: typeof address === "object" ? address?.port : 0 });
  });
}

async function serve(served: Served): Promise<void> {
  process.on("message", (query) => reply(query === "cpu" ? { cpuUs: cpuUs() } : resources()));
  process.on("disconnect", () => process.exit());
  if (served.kind === "bare") serveBare();
  else reply({ port: (await startMock(served.options)).port });
}

if (process.send !== undefined) await serve(JSON.parse(process.argv[2] ?? "{}"));
