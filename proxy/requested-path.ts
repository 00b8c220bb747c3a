/**
 * What a request is for: RFC 9112, section 3.2. A web page can send requests to this machine under a host name of its own that
 * it has made to resolve to it (DNS rebinding), so that a request is for the proxy or the target by name, or refused.
 */

import { isIP } from "node:net";
import { pairsOf, type RawHeaders } from "./forwarded-headers.ts";

/** Path and query of a request as they were sent, or why it is refused. */
export type RequestedPath = { readonly path: string } | { readonly refusal: string };

/** A request as it was sent. */
interface Sent {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: RawHeaders;
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;
const AUTHORITY = /^(\[[\da-f:.]+\]|[^\s:@[\]]+)(?::\d{1,5})?$/i;

/** @param names host names and addresses that the proxy may be called by, in addition to those of this machine alone */
export function requestedPath({ method, target, version, headers }: Sent, names: readonly string[]): RequestedPath {
  if (method === "CONNECT") return { refusal: "CONNECT asks for a tunnel, and the proxy checks what passes through" };
  const hosts = pairsOf(headers).flatMap(([name, value]) => (name.toLowerCase() === "host" ? [value] : []));
  // HTTP/1.0 has none.
  if (hosts.length !== 1 && (version !== "1.0" || hosts.length > 0)) {
    return { refusal: `the request has ${hosts.length} Host headers instead of one` };
  }
  const [, authority, rest = target] = ABSOLUTE.exec(target) ?? [];
  const foreign = [...hosts, ...(authority === undefined ? [] : [authority])].find((host) => !isOwn(host, names));
  if (foreign !== undefined) {
    return {
      refusal: `the host "${foreign}" is neither the proxy nor its target: use the address that the proxy listens on, or name another one with --host`,
    };
  }
  const path = authority !== undefined && !rest.startsWith("/") ? `/${rest}` : rest;
  return path.startsWith("/")
    ? { path }
    : { refusal: `the request target "${target}" is neither a path nor an http URL` };
}

function isOwn(authority: string, names: readonly string[]): boolean {
  const host = plainHost(AUTHORITY.exec(authority)?.[1] ?? "");
  if (host === "") return false;
  const known = names.map(plainHost);
  if (known.includes(host) || /^(?:.+\.)?localhost$/.test(host)) return true;
  if (isIP(host) === 0) return false;
  return /^127\./.test(host) || host === "::1" || known.some((name) => name === "0.0.0.0" || name === "::");
}

const plainHost = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, "");
