/**
 * Which proxy of the environment leads to an address: the rules of Go's `golang.org/x/net/http/httpproxy`, which the extension
 * uses, and `ALL_PROXY` where neither of the others is set. `scenarios/testdata/proxies.json` has the cases, for both.
 */

import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { type ProxyAddress, parseProxyAddress } from "../lib/proxy-address.ts";
import { UsageError } from "../settings/usage-error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HttpProxy {
  /** The environment variable that names it. */
  readonly variable: string;
  /** Such as `http://proxy.example:3128`, without credentials. */
  readonly origin: string;
  readonly user?: { readonly name: string; readonly password: string };
}

/** The ports of schemes, where an address has none. */
export const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * The proxy through which requests to an address go; undefined for none.
 * @throws UsageError that names the variable, and nothing of its value, when that is not the address of a proxy
 */
export function proxyFor(address: string, env: Environment = process.env): HttpProxy | undefined {
  const { protocol, hostname, port } = new URL(address);
  const [variable, value] = proxyVariable(protocol, env);
  if (variable === undefined || isExcluded(hostname, port || (PORTS[protocol] ?? ""), noProxyOf(env))) return undefined;
  if (protocol === "http:" && env["REQUEST_METHOD"]) {
    throw unusable(variable, "REQUEST_METHOD is set, and in a CGI program a client chooses that variable");
  }
  return readProxy(variable, value);
}

/** The value of a header that identifies its user to a proxy; undefined without one. */
export const proxyAuthorization = ({ user }: HttpProxy): string | undefined =>
  user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`;

/** The address of a proxy with its credentials, escaped. */
export function addressWithUser({ origin, user }: HttpProxy): string {
  if (user === undefined) return origin;
  const credentials = [user.name, user.password].map(encodeURIComponent).join(":");
  return origin.replace("://", `://${credentials}@`);
}

function readProxy(variable: string, value: string): HttpProxy {
  const read = parseProxyAddress(value);
  if (read === undefined) throw unusable(variable, "its value is not the address of a proxy");
  if (/^socks/.test(read.scheme)) throw unusable(variable, "it names a SOCKS proxy, and Assay uses HTTP proxies");
  const origin = originOf(read);
  if (origin === undefined) throw unusable(variable, "its value is not the address of an HTTP proxy");
  return { variable, origin, ...(read.user && { user: read.user }) };
}

function originOf({ scheme, host, port }: ProxyAddress): string | undefined {
  const text = `${scheme}://${host}${port && `:${port}`}`;
  if ((scheme !== "http" && scheme !== "https") || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return `${scheme}://${url.hostname}:${url.port || PORTS[url.protocol]}`;
}

const unusable = (variable: string, reason: string): UsageError =>
  new UsageError(
    `Cannot use the proxy of the environment variable ${variable}: ${reason}. Write it as http://HOST:PORT, or exclude the target with NO_PROXY.`,
  );

/** The first variable that is set, in capitals or not, and its value. */
function proxyVariable(protocol: string, env: Environment): readonly [string | undefined, string] {
  const own = protocol === "https:" ? "https_proxy" : "http_proxy";
  const variable = [own, "all_proxy"].flatMap((name) => [name.toUpperCase(), name]).find((name) => env[name]);
  return [variable, env[variable ?? ""] ?? ""];
}

const noProxyOf = (env: Environment): string => env["NO_PROXY"] || env["no_proxy"] || "";

/** Whether a host is reached without a proxy. @param hostname of a URL */
function isExcluded(hostname: string, port: string, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const kind = isIP(host);
  if (host === "localhost" || (kind !== 0 && includes(LOOPBACK, host))) return true;
  const entries = noProxy.split(",").map((entry) => entry.trim().toLowerCase());
  if (entries.includes("*")) return true;
  return entries.some((entry) => (kind === 0 ? matchesName(entry, host, port) : matchesIp(entry, host, port)));
}

const subnets = (...ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix = ""] = range.split("/");
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
};
const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");
const includes = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));
const LOOPBACK = subnets("127.0.0.0/8", "::1/128");

/** A host and a port as `net.SplitHostPort` of Go reads them; a text without a port is a host. */
function splitEntry(entry: string): readonly [string, string] {
  const [, bracketed, plain, port] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(entry) ?? [];
  return [bracketed ?? plain ?? entry, port ?? ""];
}

function matchesIp(entry: string, address: string, port: string): boolean {
  const range = /^([^/]+)\/(\d+)$/.exec(entry);
  if (range !== null) {
    const [, start = "", prefix = ""] = range;
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(start)] ?? -1;
    return Number(prefix) <= longest && includes(subnets(entry), address);
  }
  const [host, own] = splitEntry(entry);
  if (isIP(host) === 0) return false;
  return includes(subnets(`${host}/${isIP(host) === 6 ? 128 : 32}`), address) && (own === "" || own === port);
}

function matchesName(entry: string, name: string, port: string): boolean {
  const [host, own] = splitEntry(entry);
  if (host === "" || isIP(host) !== 0 || (own !== "" && own !== port)) return false;
  const suffix = host.replace(/^\*(?=\.)/, "");
  const ascii = /^[\0-\x7f]*$/.test(suffix) ? suffix : domainToASCII(suffix.replace(/^\./, ""));
  return suffix.startsWith(".")
    ? name.endsWith(`.${ascii.replace(/^\./, "")}`)
    : name === ascii || name.endsWith(`.${ascii}`);
}
