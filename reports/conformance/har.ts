/** The exchanges that a result cites as an HTTP Archive (HAR 1.2), which browsers and other tools open. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import type { ExchangesById } from "./conformance-result.ts";

/** What an archive says of a size that was not measured. */
const UNKNOWN = -1;
/** A record does not say which version of HTTP was used; readers of archives want one. */
const HTTP_VERSION = "HTTP/1.1";

/** An archive as JSON; undefined when there is no exchange. */
export function conformanceHar({ tool }: ConformanceResult, exchanges: ExchangesById): string | undefined {
  if (exchanges.size === 0) return undefined;
  const [name = "assay", version = ""] = tool.split(" ");
  const entries = [...exchanges.values()].toSorted((a, b) => a.id - b.id).map(entry);
  return `${JSON.stringify({ log: { version: "1.2", creator: { name, version }, entries } }, null, 1)}\n`;
}

function entry(exchange: Exchange): object {
  const { id, startedAt, answer, failure } = exchange;
  const time = answer?.endMs ?? 0;
  return {
    startedDateTime: startedAt,
    time,
    request: requestOf(exchange),
    response: responseOf(exchange),
    cache: {},
    timings: { send: 0, wait: answer?.headersMs ?? 0, receive: Math.max(0, time - (answer?.headersMs ?? 0)) },
    comment: `exchange ${id}${failure === undefined ? "" : `: ${failure.kind}: ${failure.message}`}`,
  };
}

const pairs = (headers: Readonly<Record<string, string>>): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const typeOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers).find(([name]) => /^content-type$/i.test(name))?.[1] ?? "";

function requestOf({ request: { method, url, headers, body } }: Exchange): object {
  const query = URL.canParse(url) ? [...new URL(url).searchParams] : [];
  return {
    method,
    url,
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: pairs(headers),
    queryString: query.map(([name, value]) => ({ name, value })),
    ...(body !== undefined && { postData: { mimeType: typeOf(headers), text: body } }),
    headersSize: UNKNOWN,
    bodySize: body === undefined ? 0 : Buffer.byteLength(body),
  };
}

/** A request without a response has the status 0. */
function responseOf({ answer }: Exchange): object {
  const headers = answer?.headers ?? {};
  const bytes = answer?.base64 ?? answer?.body ?? "";
  return {
    status: answer?.status ?? 0,
    statusText: "",
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: pairs(headers),
    content: {
      size: (answer?.chunks ?? []).reduce((sum, chunk) => sum + chunk.bytes, 0),
      mimeType: typeOf(headers),
      text: bytes,
      ...(answer?.base64 !== undefined && { encoding: "base64" }),
    },
    redirectURL: "",
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
  };
}
