/** The connections over which Node sends requests: keep-alive, HTTP/1.1 or HTTP/2 where that alone is spoken, each on the route to its address. */

import { createRequire } from "node:module";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import { SIZE_LIMITS } from "../formats/outcomes.ts";
import { isOfProxy, ProxyRefusal } from "./proxy-response.ts";
import { type Environment, type HttpProxy, proxyAuthorization } from "./proxy-rules.ts";
import { lookupOf, type Reach, type Route, routeTo } from "./route.ts";

type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path" | "headers"> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** undici takes a quarter of the start of a command: it is loaded with the first connection. */
const undici = (): typeof import("undici") => createRequire(import.meta.url)("undici");

/** How requests to one origin are sent. */
interface Sender {
  readonly http2: boolean;
  readonly send: (path: string, options: RequestOptions) => Promise<Dispatcher.ResponseData>;
}

/** Opens connections to the addresses that requests are sent to; whoever makes it closes or destroys it. */
export class Connections {
  readonly #reach: Reach;
  readonly #env: Environment;
  readonly #senders = new Map<string, Sender>();
  readonly #dispatchers: Dispatcher[] = [];

  constructor(reach: Reach, env: Environment = process.env) {
    this.#reach = reach;
    this.#env = env;
  }

  /**
   * Sends a request.
   * @param address absolute, with its query
   * @throws UsageError when its proxy, or the file of certificates, cannot be used
   * @throws ProxyRefusal when its proxy does not pass it on
   */
  async request(address: string, options: RequestOptions): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = new URL(address);
    const path = pathname + search;
    const sender = this.#senders.get(origin) ?? this.#speak(origin, false);
    try {
      return await sender.send(path, options);
    } catch (error) {
      if (sender.http2 || !isAlertOfProtocol(error)) throw error;
      const known = this.#senders.get(origin);
      return await (known?.http2 ? known : this.#speak(origin, true)).send(path, options);
    }
  }

  /** Waits for the requests under way. */
  async close(): Promise<void> {
    await Promise.all(this.#dispatchers.map((each) => each.close()));
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#dispatchers.map((each) => each.destroy()));
  }

  /** From now on with HTTP/2 or without. */
  #speak(origin: string, http2: boolean): Sender {
    const sender = { http2, send: this.#sendTo(origin, http2) };
    this.#senders.set(origin, sender);
    return sender;
  }

  #sendTo(origin: string, allowH2: boolean): Sender["send"] {
    const route = routeTo(origin, this.#reach, this.#env);
    const { proxy } = route;
    const { Agent, ProxyAgent } = undici();
    const connect = this.#connecting(route);
    const token = proxy && proxyAuthorization(proxy);
    const options = { allowH2, maxHeaderSize: SIZE_LIMITS.headers };
    if (proxy === undefined || origin.startsWith("http:")) {
      const agent = this.#keep(new Agent({ ...options, connect }));
      return proxy === undefined
        ? (path, options) => agent.request({ ...options, origin, path })
        : (path, options) => forward(agent, proxy, origin + path, options);
    }
    const tls = { connect, requestTls: { ...connect, allowH2 }, proxyTls: connect };
    const tunnels = this.#keep(new ProxyAgent({ ...options, uri: proxy.origin, ...tls, ...(token && { token }) }));
    return (path, options) => throughTunnel(tunnels.request({ ...options, origin, path }), proxy);
  }

  #keep<T extends Dispatcher>(dispatcher: T): T {
    this.#dispatchers.push(dispatcher);
    return dispatcher;
  }

  #connecting(route: Route) {
    const { certificates: ca, client } = route;
    if (ca === undefined) return lookupOf(route);
    const { insecure } = this.#reach;
    return {
      ...lookupOf(route),
      secureContext: secureContext(ca, client),
      ...(insecure && { rejectUnauthorized: false }),
    };
  }
}

/** The server speaks none of the protocols that it was offered: no request was sent. */
const isAlertOfProtocol = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";

/** An intermediate that is trusted ends a chain, as it does in Go and curl. */
export const secureContext = (ca: string, client: Route["client"]): SecureContext =>
  createSecureContext({ ca, allowPartialTrustChain: true, ...(client && { cert: client.cert, key: client.key }) });

/** A proxy gets the whole address of a request without TLS. */
async function forward(
  agent: Dispatcher,
  proxy: HttpProxy,
  address: string,
  { headers, ...options }: RequestOptions,
): Promise<Dispatcher.ResponseData> {
  const authorization = proxyAuthorization(proxy);
  const response = await agent.request({
    ...options,
    origin: proxy.origin,
    path: address,
    headers: {
      host: new URL(address).host,
      ...headers,
      ...(authorization !== undefined && { "proxy-authorization": authorization }),
    },
  });
  if (!isOfProxy(response.statusCode, response.headers)) return response;
  response.body.on("error", () => undefined).destroy();
  throw new ProxyRefusal(response.statusCode, proxy.origin);
}

/** undici tells the status of a refused tunnel in a text alone. */
async function throughTunnel(
  response: Promise<Dispatcher.ResponseData>,
  proxy: HttpProxy,
): Promise<Dispatcher.ResponseData> {
  try {
    return await response;
  } catch (error) {
    const status = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw status === undefined ? error : new ProxyRefusal(Number(status), proxy.origin);
  }
}
