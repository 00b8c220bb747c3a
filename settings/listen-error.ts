/** Why an address cannot be listened on, in the words of every command that listens on one. */

import { isObject } from "../lib/json.ts";
import { reasonOf, UsageError } from "./usage-error.ts";

interface Address {
  readonly host: string;
  readonly port: number;
}

const PROBLEMS: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: () => "the port is in use. Choose another one with --port, or 0 for a free one",
  EACCES: () => "this user may not listen on the port. Choose one above 1023 with --port, or 0 for a free one",
  EADDRNOTAVAIL: ({ host }) => noAddress(host),
  EAFNOSUPPORT: ({ host }) => noAddress(host),
  EINVAL: ({ host }) => noAddress(host),
  ENOTFOUND: ({ host }) => noAddress(host),
  EAI_AGAIN: ({ host }) => noAddress(host),
  ERR_SOCKET_BAD_PORT: () => "this is not a valid port. Choose one of 1 to 65535 with --port, or 0 for a free one",
};

const noAddress = (host: string): string =>
  `${host} is no address of this machine. Name one with --host, such as 127.0.0.1`;

/**
 * The error of a user whose address cannot be listened on; any other error as it was.
 * @param attempt what was to be done, such as "start the mock"
 */
export function listenError(attempt: string, address: Address, cause: unknown): Error {
  const code = isObject(cause) ? cause["code"] : undefined;
  const problem = typeof code === "string" && Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined;
  if (problem === undefined) return cause instanceof Error ? cause : new Error(reasonOf(cause));
  const { host, port } = address;
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new UsageError(`Cannot ${attempt} on ${place}: ${problem(address)}.`);
}
