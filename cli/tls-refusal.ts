/** Why a target with TLS cannot be asked: its certificates, ours, or what else it refuses of a handshake. */

import { X509Certificate } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect } from "node:tls";
import type { Connection } from "../conformance/engine/target-connection.ts";
import type { Exchange } from "../formats/exchanges.ts";
import { omitUndefined } from "../lib/omit-undefined.ts";
import { clientCertificate, pemBlocks } from "../route/certificates.ts";
import { secureContext } from "../route/connections.ts";
import { PORTS, proxyAuthorization } from "../route/proxy-rules.ts";
import { lookupOf, type Route, routeTo } from "../route/route.ts";

/** What a server that has no TLS makes of the start of a handshake. */
const NO_TLS = /wrong version number|packet length too long|unknown protocol|http request/i;

/** A handshake, or an alert after it, may take this long. */
const PATIENCE_MS = 1_000;

/**
 * Why an exchange failed in TLS, in a sentence, and what to change; undefined where it did not, or where the failure may be
 * that of this client alone, which does not speak HTTP/2. Where the exchange leaves it open, a handshake that sends nothing decides.
 */
export async function tlsRefusal({ failure, answer }: Exchange, connection: Connection): Promise<string | undefined> {
  const { target } = connection;
  if (!/^https:/i.test(target)) return undefined;
  if (answer?.status === 400 && /No required SSL certificate was sent|SSL certificate error/i.test(answer.body)) {
    return certificateRefused(connection, "400 with a page that says so");
  }
  if (failure?.kind !== "tls" && failure?.kind !== "reset") return undefined;
  if (NO_TLS.test(failure.message)) {
    return `what listens at ${target} does not speak TLS (https). Run it again with --target ${target.replace(/^https/i, "http")}`;
  }
  const route = routeTo(target, connection);
  const seen = await handshake(route);
  const problem = failure.kind === "tls" ? failure.message : (seen.error ?? "");
  if (UNTRUSTED.test(problem) || /certificate (?:has expired|is not yet)|altnames/i.test(problem)) {
    return wrongCertificate(problem, target, chainOf(seen.own, route.certificates));
  }
  const [, alert] = ALERT.exec(`${problem}\n${seen.error}`) ?? [];
  return alert === undefined ? undefined : alerted(alert, connection);
}

const ALERT = /\balert ([a-z][a-z ]+[a-z])/i;

/** What the peer said in an alert, such as `certificate required`. */
function alerted(alert: string, connection: Connection): string | undefined {
  if (/application protocol/i.test(alert)) return undefined;
  if (/certificate|unknown ca|access denied/i.test(alert)) return certificateRefused(connection, `alert "${alert}"`);
  const refused = `${connection.target} refuses the TLS handshake (alert "${alert}").`;
  return /handshake failure/i.test(alert) && connection.clientCert === undefined
    ? `${refused} It may require a client certificate: ${SHOW_ONE.toLowerCase()}`
    : `${refused} Assay speaks TLS 1.2 and 1.3: check the address, and what the target accepts.`;
}

const SHOW_ONE = "Name one with --client-cert FILE and --client-key FILE.";

function certificateRefused({ target, clientCert, clientKey }: Connection, how: string): string {
  return clientCert === undefined
    ? `${target} requires a client certificate (${how}). ${SHOW_ONE}`
    : `${target} does not accept the client certificate ${clientCertificate(clientCert, clientKey).words} (${how}). Name one that it trusts with --client-cert FILE and --client-key FILE.`;
}

/** Of OpenSSL, where the chain ends with a CA that is not among those that are trusted. */
const UNTRUSTED = /self[- ]signed|unable to (?:verify|get)|unable to verify|untrusted/i;

function wrongCertificate(problem: string, target: string, chain: readonly X509Certificate[]): string {
  const now = Date.now();
  const expired = chain.find(({ validTo }) => Date.parse(validTo) < now);
  const whose = expired === chain[0] ? "the target's own" : "that of a CA above the target's";
  const which =
    expired === undefined || !/expired/.test(problem)
      ? ""
      : ` (${whose}, ${expired.subject.replaceAll("\n", ", ")}, until ${expired.validTo})`;
  const advice = UNTRUSTED.test(problem)
    ? "Name the file of its CA with --ca-file FILE, or accept any certificate with --insecure."
    : "Correct the address or the certificate, or accept any certificate with --insecure.";
  return `the certificate of ${target} is not accepted: ${problem}${which}. ${advice}`;
}

/** What a handshake shows. */
interface Handshake {
  /** What failed, or what the peer said in an alert; absent: nothing. */
  readonly error?: string;
  /** The certificate of the peer; absent: none came. */
  readonly own?: X509Certificate;
}

/** Shakes hands with a target, whatever its certificate, sends nothing, and waits for what it says to that. */
async function handshake(route: Route): Promise<Handshake> {
  const { origin, proxy, certificates = "", client } = route;
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  const tunnel = proxy && (await tunnelOf(route, `${hostname}:${port || 443}`));
  if (proxy !== undefined && tunnel === undefined) return {};
  return new Promise((resolve) => {
    const socket = connect({
      ...{ host, port: Number(port || 443), rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
      ...(isIP(host) === 0 && { servername: host }),
      ...lookupOf(route),
      ...(tunnel && { socket: tunnel }),
      secureContext: secureContext(certificates, client),
    });
    let own: X509Certificate | undefined;
    const end = (error?: string): void => {
      resolve(omitUndefined({ error, own }));
      socket.destroy();
    };
    socket.setTimeout(PATIENCE_MS, () => end());
    socket.once("secureConnect", () => {
      own = socket.getPeerX509Certificate();
    });
    socket.on("error", ({ message }) => end(message));
    socket.once("close", () => end());
    socket.resume();
  });
}

/** A tunnel of the proxy of a route; undefined where it opens none. */
function tunnelOf(route: Route, path: string): Promise<Socket | undefined> {
  const { proxy, certificates = "" } = route;
  if (proxy === undefined) return Promise.resolve(undefined);
  const { protocol, hostname, port } = new URL(proxy.origin);
  const authorization = proxyAuthorization(proxy);
  const options = {
    ...{
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port || PORTS[protocol],
      method: "CONNECT",
      path,
      timeout: PATIENCE_MS,
    },
    ...lookupOf(route),
    headers: { host: path, ...(authorization !== undefined && { "proxy-authorization": authorization }) },
  };
  return new Promise((resolve) => {
    const asked = protocol === "https:" ? httpsRequest({ ...options, ca: certificates }) : httpRequest(options);
    asked.once("connect", ({ statusCode }, socket) => resolve(statusCode === 200 ? socket : undefined));
    asked.once("response", () => resolve(undefined)).once("error", () => resolve(undefined));
    asked.once("timeout", () => asked.destroy(new Error("no tunnel"))).end();
  });
}

/** A certificate, those above it that came with it, and those above these that are trusted. */
function chainOf(own: X509Certificate | undefined, trusted: string | undefined): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  const above = (each: X509Certificate): X509Certificate | undefined =>
    each.issuerCertificate ??
    pemBlocks(trusted ?? "")
      .map((text) => new X509Certificate(text))
      .find((ca) => each.checkIssued(ca));
  for (
    let each = own;
    each !== undefined && !chain.some(({ subject }) => subject === each?.subject);
    each = above(each)
  ) {
    chain.push(each);
  }
  return chain;
}
