/** How an address is reached: decided once, before anything is sent, for both clients. */

import { isIP, type LookupFunction } from "node:net";
import { omitUndefined } from "../lib/omit-undefined.ts";
import { UsageError } from "../settings/usage-error.ts";
import { type ClientCertificate, certificatesIn, clientCertificate, trustedCertificates } from "./certificates.ts";
import { addressWithUser, type Environment, type HttpProxy, PORTS, proxyFor } from "./proxy-rules.ts";

/** What of the user's settings decides how a target is reached. */
export interface Reach {
  readonly caFile?: string | undefined;
  readonly insecure?: boolean | undefined;
  /** The file of a certificate, for a target that asks for one, and that of its key; absent: in the same file. */
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  /** Addresses in place of those that the resolver knows, as `parseResolve` has them. */
  readonly resolve?: readonly string[] | undefined;
  /** Past the proxies of the environment. */
  readonly direct?: boolean | undefined;
}

export interface Route {
  /** The scheme, host and port of the address, as it has them. */
  readonly origin: string;
  /** Absent: none is used. */
  readonly proxy?: HttpProxy;
  /** All certificates that are trusted, in PEM form; absent: no TLS is spoken. */
  readonly certificates?: string;
  /** For a target with TLS that asks for one. */
  readonly client?: ClientCertificate;
  /** Where the name of the target, or of its proxy, leads by `--resolve`; absent: where the resolver says. */
  readonly addresses?: readonly string[];
}

/** Those of some settings that decide how a target is reached. */
export const reachOf = ({ caFile, insecure, clientCert, clientKey, resolve }: Reach): Reach =>
  omitUndefined({ caFile, insecure, clientCert, clientKey, resolve });

/** Requires that the files of certificates can be used, whatever the address. @throws UsageError that names one that cannot */
export function checkReach(reach: Reach): void {
  if (reach.caFile !== undefined) certificatesIn(reach.caFile);
  clientOf(reach);
}

function clientOf({ clientCert, clientKey }: Reach): ClientCertificate | undefined {
  if (clientCert !== undefined) return clientCertificate(clientCert, clientKey);
  if (clientKey === undefined) return undefined;
  throw new UsageError(
    `Cannot use the private key ${clientKey} of --client-key alone: name the file of its certificate with --client-cert.`,
  );
}

/**
 * The same with the proxy that leads to an address, which is not decided by a plan for another machine.
 * @throws UsageError that names the file or variable that cannot be used
 */
export function checkRoute(address: string, reach: Reach): void {
  checkReach(reach);
  routeTo(address, reach);
}

/**
 * The route to an address.
 * @throws UsageError when a setting or the environment names a proxy or a file for it that cannot be used
 */
export function routeTo(address: string, reach: Reach = {}, env: Environment = process.env): Route {
  const { direct, caFile, resolve = [] } = reach;
  const proxy = direct ? undefined : proxyFor(address, env);
  const origin = originOf(address);
  const isSecure = origin.startsWith("https:");
  const client = clientOf(reach);
  const addresses = resolvedTo(proxy?.origin ?? origin, resolve);
  return {
    origin,
    ...(proxy && { proxy }),
    ...((isSecure || proxy?.origin.startsWith("https:")) && { certificates: trustedCertificates(caFile, env) }),
    ...(isSecure && client && { client }),
    ...(addresses.length > 0 && { addresses }),
  };
}

/** The addresses that entries of `--resolve` state for the host and port of an address; none where the host is no name. */
function resolvedTo(origin: string, entries: readonly string[]): readonly string[] {
  const { hostname, port, protocol } = new URL(origin);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) > 0) return [];
  const own = port || PORTS[protocol];
  const statedFor = (name: string): readonly string[] =>
    entries.flatMap((entry) => {
      const [host = "", at, ...rest] = entry.split(":");
      return at === own && host.toLowerCase() === name ? [rest.join(":")] : [];
    });
  const stated = statedFor(hostname);
  return stated.length > 0 ? stated : statedFor("*");
}

/** What a connection looks names up with, as a route says; empty: as the machine does. */
export function lookupOf({ addresses }: { readonly addresses?: readonly string[] | undefined }): {
  readonly lookup?: LookupFunction;
} {
  const all = addresses?.map((address) => ({ address, family: isIP(address) })) ?? [];
  const [first] = all;
  if (first === undefined) return {};
  return {
    lookup: (_, { all: wantsAll }, done) => {
      if (wantsAll) done(null, all);
      else done(null, first.address, first.family);
    },
  };
}

const originOf = (address: string): string =>
  address.replace(/^([a-z]+:\/\/[^/?#]*).*$/is, "$1").replace(/^[a-z]+/i, (scheme) => scheme.toLowerCase());

/**
 * A route as k6 is told it: a line of JSON, which holds the credentials of the proxy and the key of the client's certificate
 * (`extension/route/told.go`).
 */
export const toldLine = ({ origin, proxy, certificates, client }: Route): string =>
  `${JSON.stringify({ origin, ...(proxy && { proxy: addressWithUser(proxy) }), certificates, ...(client && { clientCert: client.cert, clientKey: client.key }) })}\n`;

/** A route in words, without credentials. */
export function describeRoute({ origin, proxy, certificates, client, addresses }: Route): string {
  const isTunnel = origin.startsWith("https:");
  const way =
    proxy === undefined
      ? "directly, without a proxy"
      : `${isTunnel ? "through a tunnel of" : "forwarded by"} the proxy ${proxy.origin} of ${proxy.variable}${proxy.user === undefined ? "" : ", with a user"}`;
  const trusted = certificates?.match(/-----BEGIN CERTIFICATE-----/g)?.length;
  return [
    `${origin} ${way}${addresses === undefined ? "" : ` at ${addresses.join(", ")}`}`,
    ...(trusted === undefined ? [] : [`${trusted} trusted certificates`]),
    ...(client === undefined ? [] : [`client certificate ${client.words}`]),
  ].join("; ");
}
