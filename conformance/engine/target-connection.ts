/** A target, as whom it is asked, and how it is reached. */

import type { OwnHeader } from "../../contract/own-headers.ts";
import { bearer } from "../../contract/service.ts";
import { secretsOfHeaders, secretsOfProxies } from "../../lib/secret-sources.ts";
import type { Reach } from "../../route/route.ts";

export interface Connection extends Reach {
  readonly target: string;
  readonly apiKey?: string;
  /** Further headers with their values, all of them secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of Assay's own that are left out. */
  readonly withoutHeader?: readonly OwnHeader[] | undefined;
}

/** What must not be written of ways to reach a target: keys, values of headers, and credentials of proxies. */
export const secretsOf = (connections: readonly Pick<Connection, "apiKey" | "headers">[]): readonly string[] => [
  ...connections.flatMap(({ apiKey, headers = {} }) => [
    ...(apiKey === undefined ? [] : secretsOfHeaders({ authorization: bearer(apiKey) })),
    ...secretsOfHeaders(headers),
  ]),
  ...secretsOfProxies(process.env),
];
