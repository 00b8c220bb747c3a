/** A forward proxy on loopback, as companies have them: it forwards http, and tunnels with CONNECT. All of it ends with the test. */

import { createServer, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { serveInTest } from "./serve-in-test.ts";

export interface ProxyRules {
  /** `user:password` that it asks for. */
  readonly user?: string;
  /** It tunnels to port 443 alone. */
  readonly only443?: boolean;
  /** With what it responds to everything. */
  readonly refusal?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
  /** The port on loopback that stands for port 443 of any host; every other port stands for itself. */
  readonly port443?: number;
}

export interface ForwardProxy {
  /** Without credentials. */
  readonly url: string;
  /** What it was asked for: the address of a request that it forwards, `CONNECT host:port` of a tunnel. */
  readonly asked: string[];
}

/** Starts one. Whatever the host of an address is, it connects to that port of loopback. */
export async function forwardProxy(rules: ProxyRules = {}): Promise<ForwardProxy> {
  const asked: string[] = [];
  const portOf = (port: string): number => (port === "443" && rules.port443 ? rules.port443 : Number(port || 80));
  const server = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    asked.push(url);
    const refusal = refusalOf(incoming, rules);
    if (refusal !== undefined) return void outgoing.writeHead(refusal.status, refusal.headers).end("of the proxy");
    const { hostname, pathname, search, port } = new URL(url);
    const { "proxy-authorization": _, ...passed } = headers;
    const onward = request(
      {
        host: "127.0.0.1",
        port: portOf(port),
        method,
        path: pathname + search,
        headers: { ...passed, host: hostname },
      },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(onward.on("error", () => outgoing.destroy()));
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    const { url = "" } = incoming;
    asked.push(`CONNECT ${url}`);
    const port = url.replace(/^.*:/, "");
    const refusal = refusalOf(incoming, rules) ?? (rules.only443 && port !== "443" ? { status: 403 } : undefined);
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n\r\n`);
    const onward = connect(portOf(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      one.on("error", () => other.destroy());
    onTestFinished(() => void socket.destroy());
  });
  return { url: await serveInTest(server), asked };
}

function refusalOf({ headers }: IncomingMessage, { user, refusal }: ProxyRules): ProxyRules["refusal"] {
  if (refusal !== undefined) return refusal;
  const isKnown = user === undefined || headers["proxy-authorization"] === `Basic ${btoa(user)}`;
  return isKnown ? undefined : { status: 407, headers: { "proxy-authenticate": "Basic" } };
}
