/** Checks of a target before any work starts. */

import { connect, type LookupFunction } from "node:net";
import { setTimeout } from "node:timers/promises";
import { clientFaultOf } from "../conformance/engine/failures.ts";
import { adviceOn } from "../reports/load/metrics/client-faults.ts";
import { lookupOf, type Reach, routeTo } from "../route/route.ts";
import { endsWithPrefix } from "../settings/address.ts";
import { settingVariable } from "../settings/setting.ts";
import { formatDuration } from "../settings/units.ts";
import { UsageError } from "../settings/usage-error.ts";
import { InconclusiveError } from "./exit-codes.ts";
import { requireService, type UsedEndpoint } from "./preflight.ts";
import { refusedHeader } from "./refused-header.ts";
import { createResultFolder, inResultFolder } from "./result-folder.ts";

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

/** Why a connection could not be opened; undefined when it could. */
type TryConnection = (
  host: string,
  port: number,
  lookup?: LookupFunction,
) => Promise<{ code?: string | undefined; message: string } | undefined>;

/** A connection that is reset while it is opened, as by a listener with a full queue, may be accepted soon after. */
const RESET_ATTEMPTS = 3;
const RESET_PAUSE_MS = 100;

/**
 * Creates the result folder of a run against a target. Where the target cannot be reached, or is not one of the service, no
 * folder is left.
 * @param say is told of endpoints that seem to be absent, and of what is waited for
 * @throws as `createResultFolder` and `requireTarget` do
 */
export async function folderForTarget(
  target: UsedTarget,
  out: string | undefined,
  what: string,
  say: (line: string) => void,
): Promise<string> {
  const folder = createResultFolder(out, what);
  await inResultFolder(folder, () => requireTarget(target, say));
  return folder;
}

/** A target, with what a run will use of it; no endpoint where that is not known. */
export interface UsedTarget {
  readonly target: string;
  readonly endpoints: readonly UsedEndpoint[];
  /** How long to wait until a run can be started on it, in milliseconds; absent: not at all. */
  readonly waitFor?: number | undefined;
}

/** Between two attempts to reach a target that is waited for. */
const RETRY_MS = 1_000;

/**
 * Requires that a run can be started on a target, or waits for that as long as it may.
 * @throws as `requireReachable` and `requireService` do
 */
export async function requireTarget(used: UsedTarget, say: (line: string) => void): Promise<void> {
  const until = performance.now() + (used.waitFor ?? 0);
  for (let attempt = 1; ; attempt += 1) {
    const left = until - performance.now();
    try {
      return await requireUsable(used, say);
    } catch (error) {
      if (!(error instanceof InconclusiveError) || used.waitFor === undefined) throw error;
      const waited = `waited ${formatDuration(used.waitFor)} for ${used.target}`;
      if (left <= 0) throw new InconclusiveError(`${error.message} (${waited})`);
      if (attempt === 1) say(`Waiting up to ${formatDuration(used.waitFor)} for ${used.target}: ${error.message}`);
    }
    await setTimeout(Math.min(RETRY_MS, Math.max(0, left)));
  }
}

async function requireUsable({ target, endpoints, waitFor }: UsedTarget, say: (line: string) => void): Promise<void> {
  await requireReachable(target, endpoints[0]?.connection);
  try {
    for (const line of await requireService(endpoints, { isReady: waitFor !== undefined })) say(line);
  } catch (error) {
    const header = waitFor === undefined && error instanceof InconclusiveError && (await refusedHeader(endpoints));
    throw header ? new InconclusiveError(`Cannot start: ${header}`) : error;
  }
}

/**
 * Tries to connect to the target, or to the proxy that leads to it, and again if the connection was reset.
 * @throws UsageError when the environment names a proxy for it that cannot be used
 * @throws InconclusiveError that says why nothing can be sent to it
 */
export async function requireReachable(
  target: string,
  reach: Reach = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  tryConnection: TryConnection = openConnection,
): Promise<void> {
  if (!URL.canParse(target)) throw new UsageError(`Cannot use the target ${target}: it is not an address.`);
  const route = routeTo(target, reach, env);
  const { proxy } = route;
  const { lookup } = lookupOf(route);
  const url = new URL(proxy?.origin ?? target);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, "");
  let failure = await tryConnection(host, port, lookup);
  for (let attempt = 1; failure?.code === "ECONNRESET" && attempt < RESET_ATTEMPTS; attempt += 1) {
    await setTimeout(RESET_PAUSE_MS);
    failure = await tryConnection(host, port, lookup);
  }
  if (failure === undefined) return;
  const { code = "", message } = failure;
  const fault = clientFaultOf(code);
  const check = proxy === undefined ? "check the address and that the service is running" : adviceOn("proxy");
  const advice = fault === undefined ? check : adviceOn(fault);
  const what = proxy === undefined ? target : `the proxy of ${proxy.variable} that leads to ${target}`;
  throw new InconclusiveError(
    `Cannot reach ${what}: ${FAILURES[code] ?? message} (${host} port ${port}). ${advice.slice(0, 1).toUpperCase()}${advice.slice(1)}.`,
  );
}

const openConnection: TryConnection = (host, port, lookup) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS, ...(lookup && { lookup }) });
    const end = (failure: Awaited<ReturnType<TryConnection>>): void => {
      socket.destroy();
      resolve(failure);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end({ message: `no response within ${CONNECT_TIMEOUT_MS / 1_000} s` }));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error));
  });

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused; nothing listens there",
  ECONNRESET: "the connection was reset while it was opened",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be resolved: no name server responded",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  EMFILE: "this process cannot open another file or socket",
  ENFILE: "this machine cannot open another file or socket",
  EADDRNOTAVAIL: "this machine has no free source port, or no address of the target's kind",
};
