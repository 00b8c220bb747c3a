/** The base address of the service. Pure. */

import { API_PREFIX } from "../contract/service.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Reads the base address of the service; a trailing slash and a trailing `/v1` are dropped.
 * @throws UsageError when the text is not an http or https address
 */
export function parseBaseUrl(text: string): string {
  const address = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?$/i.exec(text.trim())?.[0];
  if (address === undefined && /[?#@]/.test(text)) {
    throw new UsageError(
      "the address contains a user, a query or a fragment, where a key could be, and it is written into results and logs; write it without, such as http://127.0.0.1:8080, and pass keys in ASSAY_API_KEY or with --header NAME=ENVVAR",
    );
  }
  if (address === undefined) throw new UsageError(`"${text}" is not an address; ${meantBy(text.trim())}`);
  const port = /^https?:\/\/(?:\[[^\]]*\]|[^/:]*)(?::([^/]*))?/i.exec(address)?.[1];
  if (port !== undefined && !isPort(port)) {
    throw new UsageError(`"${text}" is not an address: "${port}" is not a port; write one from 1 to 65535`);
  }
  return dropPrefix(address.replace(/\/+$/, ""));
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

/** A name, an IPv4 address or an IPv6 address in brackets; a port; a path. */
const WITHOUT_SCHEME = /^([a-z\d.-]*[a-z\d]|\[[\da-f:.]+\])(:\d+)?(\/[^\s?#@]*)?$/i;

/** What an address was meant to be that lacks its scheme; an example for any other text. */
function meantBy(text: string): string {
  const [, host = "", port] = WITHOUT_SCHEME.exec(text) ?? [];
  const isNear = port !== undefined || host === "localhost" || /^[\d.]+$/.test(host);
  if (isNear && host !== "") return `write http://${text}, or https://${text}`;
  return host.includes(".") ? `write https://${text}` : "write one such as http://127.0.0.1:8080";
}

/** Of a command that has nothing to send to. */
export const noTarget = (): UsageError =>
  new UsageError(
    "No target is given. Name the base address of the service with --target, such as --target http://127.0.0.1:8080, or set ASSAY_TARGET.",
  );

const dropPrefix = (address: string): string =>
  address.endsWith(API_PREFIX) ? address.slice(0, -API_PREFIX.length).replace(/\/+$/, "") : address;

/** Whether `parseBaseUrl` drops a trailing `/v1`, so that the user can be informed. */
export const endsWithPrefix = (text: string): boolean => new RegExp(`${API_PREFIX}/*$`).test(text.trim());

/** A name, or * for any; a port; an address. */
const RESOLVED = /^([^\s:]+):(\d{1,5}):(.+)$/;
const IP = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*:.*:)[\da-f:]+(?:\d{1,3}(?:\.\d{1,3}){3})?)$/i;

/**
 * Reads `HOST:PORT:ADDR[,ADDR]…` as curl does, several joined by commas.
 * @returns one entry `HOST:PORT:ADDR` per address, without brackets
 * @throws UsageError for anything else
 */
export function parseResolve(text: string): readonly string[] {
  let name: string | undefined;
  return text.split(",").map((part) => {
    const entry = part.trim();
    const [, host, port, first] = RESOLVED.exec(entry) ?? [];
    const isFurther = name !== undefined && isAddress(entry);
    if (!isFurther) name = `${host}:${port}`;
    const address = isFurther ? entry : (first ?? "");
    if ((!isFurther && (host === undefined || !isPort(port ?? ""))) || !isAddress(address)) {
      throw new UsageError(`"${entry}" is not HOST:PORT:ADDR, such as api.example.com:443:10.0.0.7`);
    }
    return `${name}:${address.replace(/^\[|\]$/g, "")}`;
  });
}

const isAddress = (text: string): boolean => IP.test(text.replace(/^\[(.*)\]$/, "$1"));
