/** Additional request headers, whose values the environment holds. Pure: runs in Node and inside k6. */

import { OWN_HEADER_NAMES } from "../contract/own-headers.ts";
import { isObject } from "../lib/json.ts";
import { UsageError } from "./usage-error.ts";

/** A header, and where its value is: never on the command line or in a file, where it could be read by others. */
export interface HeaderSource {
  readonly name: string;
  /** Environment variable that holds the value. */
  readonly variable: string;
}

/**
 * Reads `x-team=TEAM_TOKEN`, several joined by commas.
 * @throws UsageError when an entry is not a header name and the name of a variable, or the header has another purpose
 */
export function parseHeaders(text: string): readonly HeaderSource[] {
  return text.split(",").map((entry) => {
    const [, name, variable] = /^\s*([!#$%&'*+.^_`|~\w-]+)=([A-Za-z_]\w*)\s*$/.exec(entry) ?? [];
    if (name === undefined || variable === undefined) {
      const [given = ""] = entry.trim().split(/[=:\s]/);
      throw new UsageError(
        `header ${JSON.stringify(given)} is not given as NAME=ENVVAR; the value is taken from that environment variable, and is not shown here, since it may have been given instead`,
      );
    }
    const purpose = PURPOSES.get(name.toLowerCase());
    if (purpose !== undefined) throw new UsageError(`header ${name} cannot be given: it ${purpose}`);
    return { name, variable };
  });
}

const OF_BODY = "is that of the body, which is JSON. Leave it out";
const OF_CONNECTION = "is about the connection, which the HTTP client decides. Leave it out";

/** Headers that no user gives, because each client would send its own or none: what each is for, and what to do. */
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ["authorization", "holds the API key. Put the key into ASSAY_API_KEY, or name its variable with --api-key-env"],
  ["host", "is that of --target. Name the host there, and the address to connect to with --resolve"],
  ["x-request-id", "differs from request to request. --without-header x-request-id leaves it out"],
  ...["content-type", "content-length"].map((name) => [name, OF_BODY] as const),
  ...["connection", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"].map(
    (name) => [name, OF_CONNECTION] as const,
  ),
]);

const TAKEN: readonly string[] = [...OWN_HEADER_NAMES, "traceparent", ...PURPOSES.keys()];

/** Reads the name of a header. @throws UsageError for another text */
export function parseHeaderName(text: string): string {
  const name = text.trim();
  if (/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return name;
  throw new UsageError(`"${text}" is not the name of a header, such as x-session-id`);
}

/** Reads the name of a header that is to be sent in addition. @throws UsageError for another text, and a name that has another purpose */
export function parseFreeHeaderName(text: string): string {
  const name = parseHeaderName(text);
  if (!TAKEN.includes(name.toLowerCase())) return name;
  throw new UsageError(`the header ${name} has another purpose; name one such as x-session-id`);
}

/** Reads headers from JSON, a list of objects as the type has them. @throws UsageError for anything else */
export const readHeaders = (json: unknown): readonly HeaderSource[] =>
  parseHeaders(
    (Array.isArray(json) ? json : [json])
      .map((header) => (isObject(header) ? `${header["name"]}=${header["variable"]}` : ""))
      .join(","),
  );

/** Writes headers the way `parseHeaders` reads them. */
export const formatHeaders = (headers: readonly HeaderSource[]): string =>
  headers.map(({ name, variable }) => `${name}=${variable}`).join(",");

/** Whether a value can be sent: no controls but tabs, and ASCII alone, since k6 writes other characters as UTF-8 and Node as Latin-1. */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e]*$/.test(value);

/**
 * The headers by name, in lower case.
 * @throws UsageError when a header's environment variable is not set or empty
 */
export function headersFrom(
  sources: readonly HeaderSource[] | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, variable } of sources ?? []) {
    const value = env[variable]?.trim();
    if (value === undefined || value === "") {
      throw new UsageError(
        `Cannot send the header ${name}: the environment variable ${variable} is not set. Set it, or leave the header out.`,
      );
    }
    if (!isHeaderValue(value)) {
      throw new UsageError(
        `Cannot send the header ${name}: the value in ${variable} contains a line end, a character outside ASCII or another that no header may contain.`,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
