/**
 * Headers on their way through, as flat lists of names and values in the order and the case in which they came. Those of one
 * connection are left out (RFC 9110, section 7.6.1); everything else is kept.
 */

/** `[name, value, name, value, …]`, as Node's `rawHeaders`. */
export type RawHeaders = readonly string[];

/** About one connection, not about the message. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "te",
  "upgrade",
  "http2-settings",
]);
const CHUNKED = "transfer-encoding";
/** Where a message ends and whom it is for: what `Connection` says of these is ignored, or one request could hide another. */
const KEPT: ReadonlySet<string> = new Set([CHUNKED, "content-length", "host"]);

export const pairsOf = (headers: RawHeaders): [string, string][] =>
  headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1] ?? ""] as [string, string]] : []));

/** The value of a header, in any case; undefined when it is absent. */
export const headerOf = (headers: RawHeaders, name: string): string | undefined =>
  pairsOf(headers).find(([each]) => each.toLowerCase() === name)?.[1];

/** The headers of a message less those of its connection. The mark of a chunked body stays: HTTP/1.1 needs it again. */
function endToEnd(headers: RawHeaders): [string, string][] {
  const pairs = pairsOf(headers);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((each) => each.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named.filter((name) => !KEPT.has(name))]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** The headers of a request for the target: its own address in place of the one of the proxy. */
export const requestHeaders = (headers: RawHeaders, host: string): string[] =>
  endToEnd(headers).flatMap(([name, value]) => (name.toLowerCase() === "host" ? [name, host] : [name, value]));

/** The headers of a response for the client. @param chunks whether its version of HTTP knows bodies in chunks */
export function responseHeaders(headers: RawHeaders, chunks: boolean): string[] {
  // Trailers follow a body in chunks only, and Node refuses to announce them elsewhere.
  const hasTrailers = chunks && headerOf(headers, CHUNKED) !== undefined;
  return endToEnd(headers)
    .filter(([name]) => chunks || name.toLowerCase() !== CHUNKED)
    .filter(([name]) => hasTrailers || name.toLowerCase() !== "trailer")
    .flat();
}

/** Headers as HTTP/2 takes them: in lower case, several of one name together, without the marks of HTTP/1.1. */
export function multiplexedHeaders(headers: RawHeaders): Record<string, string[]> {
  // Not an object: `constructor` and `__proto__` are names as any other.
  const merged = new Map<string, string[]>();
  for (const [name, value] of pairsOf(headers)) {
    const lower = name.toLowerCase();
    if (lower === "host" || lower === CHUNKED) continue;
    merged.set(lower, [...(merged.get(lower) ?? []), value]);
  }
  return Object.fromEntries(merged);
}
