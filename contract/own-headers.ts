/** The headers that Assay adds to requests of its own accord, the same of both clients. Runs inside k6 too; the extension has the same list. */

import { JSON_MEDIA_TYPE, USER_AGENT } from "./service.ts";

/** Those that can be left out, by what they hold; `docs/configuration.md` shows them. */
export const OWN_HEADERS = {
  "user-agent": `\`${USER_AGENT}\`, the version of Assay; \`--header\` replaces it`,
  accept: "`text/event-stream` of a request with `stream: true`, `application/json` of another; `--header` replaces it",
  "accept-encoding": "`identity`, since compression would hide when chunks came; `--header` replaces it",
  "x-request-id": "a UUID of each request; in a load, its last group is the number of the request",
} as const;

export type OwnHeader = keyof typeof OWN_HEADERS;
export const OWN_HEADER_NAMES = Object.keys(OWN_HEADERS) as [OwnHeader, ...OwnHeader[]];

/** What of a request its own headers depend on. */
interface Outgoing {
  readonly body?: string | undefined;
  /** Absent: the request has none. */
  readonly requestId?: string | undefined;
  /** The user's headers, by names in small letters: they replace those of Assay but for the id. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What is left out. */
  readonly withoutHeader?: readonly OwnHeader[] | undefined;
}

/** The headers of a request that Assay adds, and those of the user, by names in small letters. */
export function withOwnHeaders({ body, requestId, headers, withoutHeader = [] }: Outgoing): Record<string, string> {
  const all: Record<OwnHeader, string | undefined> = {
    "user-agent": USER_AGENT,
    accept: body !== undefined && /"stream"\s*:\s*true\b/.test(body) ? "text/event-stream" : JSON_MEDIA_TYPE,
    "accept-encoding": "identity",
    "x-request-id": requestId,
    ...headers,
    ...(requestId !== undefined && { "x-request-id": requestId }),
  };
  const left = Object.entries(all).filter(([name]) => !withoutHeader.some((each) => each === name));
  return Object.fromEntries(left.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
