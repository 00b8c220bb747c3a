/** How an address is reached: decided once, before anything is sent, for both clients. */

import { trustedCertificates } from "./certificates.ts";
import { addressWithUser, type Environment, type HttpProxy, proxyFor } from "./proxy-rules.ts";

/** What of the user's settings decides how a target is reached. */
export interface Reach {
  readonly caFile?: string;
  readonly insecure?: boolean;
  /** Past the proxies of the environment. */
  readonly direct?: boolean;
}

export interface Route {
  /** The scheme, host and port of the address, as it has them. */
  readonly origin: string;
  /** Absent: none is used. */
  readonly proxy?: HttpProxy;
  /** All certificates that are trusted, in PEM form; absent: no TLS is spoken. */
  readonly certificates?: string;
}

/**
 * The route to an address.
 * @throws UsageError when the environment names a proxy or a file of certificates for it that cannot be used
 */
export function routeTo(address: string, { direct, caFile }: Reach = {}, env: Environment = process.env): Route {
  const proxy = direct ? undefined : proxyFor(address, env);
  const origin = originOf(address);
  const isSecure = origin.startsWith("https:") || proxy?.origin.startsWith("https:");
  return {
    origin,
    ...(proxy && { proxy }),
    ...(isSecure && { certificates: trustedCertificates(caFile, env) }),
  };
}

const originOf = (address: string): string =>
  address.replace(/^([a-z]+:\/\/[^/?#]*).*$/is, "$1").replace(/^[a-z]+/i, (scheme) => scheme.toLowerCase());

/** A route as k6 is told it: a line of JSON, which holds the credentials of the proxy (`scenarios/extension/route/told.go`). */
export const toldLine = ({ origin, proxy, certificates }: Route): string =>
  `${JSON.stringify({ origin, ...(proxy && { proxy: addressWithUser(proxy) }), certificates })}\n`;

/** A route in words, without credentials. */
export function describeRoute({ origin, proxy, certificates }: Route): string {
  const isTunnel = origin.startsWith("https:");
  const way =
    proxy === undefined
      ? "directly, without a proxy"
      : `${isTunnel ? "through a tunnel of" : "forwarded by"} the proxy ${proxy.origin} of ${proxy.variable}${proxy.user === undefined ? "" : ", with a user"}`;
  const trusted = certificates?.match(/-----BEGIN CERTIFICATE-----/g)?.length;
  return `${origin} ${way}${trusted === undefined ? "" : `; ${trusted} trusted certificates`}`;
}
