/** How requests reach a target: keep-alive, HTTP/1.1, through the proxy of the environment, with the user's certificates. */

import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { EnvHttpProxyAgent } from "undici";

export interface Connection {
  readonly target: string;
  readonly apiKey?: string;
  /** Further headers with their values, all of them secret. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly caFile?: string;
  readonly insecure?: boolean;
}

/** Makes the connections to a target; whoever asks for them destroys them. */
export function dispatcherOf({ caFile, insecure }: Connection): EnvHttpProxyAgent {
  const tls = {
    ...(insecure && { rejectUnauthorized: false }),
    ...(caFile !== undefined && { ca: [...rootCertificates, readFileSync(caFile, "utf8")] }),
  };
  return new EnvHttpProxyAgent({ allowH2: false, connect: tls, requestTls: tls, proxyTls: tls });
}
