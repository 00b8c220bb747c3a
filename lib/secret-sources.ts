/**
 * Secrets in what is sent: in headers, and in the addresses of proxies. The extension has the same rule
 * (`extension/redact/sources.go`).
 */

import { parseProxyAddress } from "./proxy-address.ts";
import { SHORTEST_SECRET } from "./secret-forms.ts";

/** The parts of headers that must not be written even when the target repeats them: values, and the credentials in them. */
export const secretsOfHeaders = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) => {
    if (/^(?:proxy-)?authorization$/i.test(name)) return credentialsOf(value);
    return /^cookie$/i.test(name) ? [value, ...value.split(";").map((pair) => pair.replace(/^[^=]*=/, ""))] : [value];
  });

/** Without their scheme, unless they are too short to be looked for alone. */
function credentialsOf(value: string): string[] {
  const [, scheme = "", credentials = ""] = /^(\S+)\s+(.*)$/.exec(value.trim()) ?? [];
  if (Buffer.byteLength(credentials) < SHORTEST_SECRET) return [value];
  if (!/^basic$/i.test(scheme)) return [credentials];
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  return [credentials, pair, pair.replace(/^[^:]*:/, "")];
}

/** The credentials in the addresses of proxies, from the variables that all clients read. */
export function secretsOfProxies(env: Readonly<Record<string, string | undefined>>): string[] {
  return ["http_proxy", "https_proxy", "all_proxy"]
    .flatMap((name) => [env[name], env[name.toUpperCase()]])
    .flatMap((address = "") => {
      const { name, password } = parseProxyAddress(address)?.user ?? {};
      return [password || name || []].flat();
    });
}
