/** Checks of a target before any work starts. */

import { connect } from "node:net";
import { endsWithPrefix } from "../../settings/address.ts";
import { settingVariable } from "../../settings/setting.ts";
import { InconclusiveError } from "./exit-codes.ts";

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
 * Tries to connect to the target. Behind a proxy nothing is tried: the proxy's response will tell.
 * @throws InconclusiveError that says why nothing can be sent to it
 */
export async function requireReachable(
  target: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const url = new URL(target);
  if (proxyVariable(url, env) !== undefined) return;
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const failure = await connectionFailure(host, port);
  if (failure === undefined) return;
  throw new InconclusiveError(
    `Cannot reach ${target}: ${failure} (${host} port ${port}). Check the address and that the service is running.`,
  );
}

function connectionFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end(`no response within ${CONNECT_TIMEOUT_MS / 1_000} s`));
    socket.once("error", (error: NodeJS.ErrnoException) => end(FAILURES[error.code ?? ""] ?? error.message));
  });
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
