/** What is said of and tried with a target before any real work starts. */

import { connect } from "node:net";
import { endsWithPrefix } from "../../settings/parse.ts";
import { settingVariable } from "../../settings/table.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/** The target as the user wrote it, by flag or variable. */
export const givenTarget = (flags: Readonly<Record<string, unknown>>): string | undefined =>
  typeof flags["target"] === "string" ? flags["target"] : process.env[settingVariable("target")];

/** A line for the user when the address ended with the prefix that Assay adds itself. */
export function prefixNotice(given: string | undefined, target: string): string | undefined {
  return given !== undefined && endsWithPrefix(given)
    ? `The target ends with /v1, which every path starts with already: using ${target}.`
    : undefined;
}

/**
 * Why nothing can be sent to the target, in a sentence; undefined when a connection was made.
 * Behind a proxy nothing is tried: the proxy's answer will tell.
 */
export async function unreachable(
  target: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  const url = new URL(target);
  if (proxyVariable(url, env) !== undefined) return undefined;
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const failure = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end(`no answer within ${CONNECT_TIMEOUT_MS / 1_000} s`));
    socket.once("error", (error: NodeJS.ErrnoException) => end(FAILURES[error.code ?? ""] ?? error.message));
  });
  return failure === undefined
    ? undefined
    : `Cannot reach ${target}: ${failure} (${host} port ${port}). Check the address and that the service is running.`;
}

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused; nothing listens there",
  ENOTFOUND: "the host name is not known",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
};

function proxyVariable(url: URL, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  return env[name] || env[name.toUpperCase()] || undefined;
}
