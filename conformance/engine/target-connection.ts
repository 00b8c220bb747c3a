/** How requests reach a target: keep-alive, HTTP/1.1, through the proxy of the environment, with the user's certificates. */

import { X509Certificate } from "node:crypto";
import { createRequire } from "node:module";
import { rootCertificates } from "node:tls";
import type { Dispatcher } from "undici";
import { bearer } from "../../contract/service.ts";
import { secretsOfHeaders, secretsOfProxies } from "../../lib/secret-sources.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

export interface Connection {
  readonly target: string;
  readonly apiKey?: string;
  /** Further headers with their values, all of them secret. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly caFile?: string;
  readonly insecure?: boolean;
}

/** What must not be written of ways to reach a target: keys, values of headers, and credentials of proxies. */
export const secretsOf = (connections: readonly Pick<Connection, "apiKey" | "headers">[]): readonly string[] => [
  ...connections.flatMap(({ apiKey, headers = {} }) => [
    ...(apiKey === undefined ? [] : secretsOfHeaders({ authorization: bearer(apiKey) })),
    ...secretsOfHeaders(headers),
  ]),
  ...secretsOfProxies(process.env),
];

/** undici takes a quarter of the start of a command: it is loaded with the first connection. */
const undici = (): typeof import("undici") => createRequire(import.meta.url)("undici");

/** Makes the connections to a target; whoever asks for them destroys them. */
export function dispatcherOf({ caFile, insecure }: Connection): Dispatcher {
  const { EnvHttpProxyAgent } = undici();
  const tls = {
    ...(insecure && { rejectUnauthorized: false }),
    ...(caFile !== undefined && { ca: [...rootCertificates, certificatesIn(caFile)] }),
  };
  return new EnvHttpProxyAgent({ allowH2: false, connect: tls, requestTls: tls, proxyTls: tls });
}

/**
 * The certificates of `--ca-file`.
 * @throws UsageError when the file cannot be read, or does not begin with a certificate
 */
export function certificatesIn(file: string): string {
  try {
    const text = readTextFile(file);
    requireCertificate(text);
    return text;
  } catch (error) {
    throw new UsageError(`Cannot read certificates from ${file}: ${reasonOf(error)}. Name a PEM file with --ca-file.`);
  }
}

function requireCertificate(text: string): void {
  try {
    new X509Certificate(text);
  } catch {
    throw new Error("it holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----");
  }
}

type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path">;

/**
 * Sends a request over such connections.
 * @param address absolute, with its query
 */
export function sendRequest(
  dispatcher: Dispatcher,
  address: string,
  options: RequestOptions,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(address);
  return dispatcher.request({ ...options, origin, path: pathname + search });
}
