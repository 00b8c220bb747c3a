/**
 * The address of a proxy, as environment variables hold it. The extension reads it in the same way
 * (`extension/route/address.go`).
 */

import { percentDecoded } from "./escapes.ts";

export interface ProxyAddress {
  /** In lower case, without its colon; `http` where the text has none. */
  readonly scheme: string;
  /** As written, an IPv6 address in its brackets. */
  readonly host: string;
  /** Empty without one. */
  readonly port: string;
  /** What it asks for, without escapes; absent: nothing. */
  readonly user?: { readonly name: string; readonly password: string };
}

/**
 * Reads an address such as `http://user:password@proxy.example:3128`. Only the last `@` ends the credentials, which may so
 * contain any character, escaped or not.
 * @returns undefined for a text that is no such address
 */
export function parseProxyAddress(text: string): ProxyAddress | undefined {
  const [, scheme = "http", rest = ""] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/is.exec(text.trim()) ?? [];
  const at = rest.lastIndexOf("@");
  const authority = rest.slice(at + 1).replace(/[/?#].*$/s, "");
  const [, host, port = ""] = /^(\[[\da-f:.]+\]|[^\s:[\]%<>"\\^`{|}]+)(?::(\d*))?$/i.exec(authority) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  const address = { scheme: scheme.toLowerCase(), host, port };
  if (at < 0) return address;
  const [name = "", ...password] = rest.slice(0, at).split(":");
  return { ...address, user: { name: percentDecoded(name), password: percentDecoded(password.join(":")) } };
}
