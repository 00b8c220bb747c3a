/** Whether this machine lets a load open as many connections as it may need. Each request in flight holds one. */

import { spawnSync } from "node:child_process";
import { toolEnvironment } from "../../cli/tool-environment.mjs";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { usersHere } from "../../load/shape/streams.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** What the load generator opens in addition to its connections, with room for those of a resolver. */
const OTHER_FILES = 32;

/**
 * How many files a process may open: the hard limit, since Node and k6 raise their own limit to it when they start.
 * Infinity without a limit, as on Windows, and where the system does not tell.
 */
export function openFilesLimit(platform: NodeJS.Platform = process.platform): number {
  if (platform === "win32") return Number.POSITIVE_INFINITY;
  const { stdout } = spawnSync("/bin/sh", ["-c", "ulimit -Hn"], { encoding: "utf8", env: toolEnvironment() });
  return /^\d+$/.test(stdout?.trim() ?? "") ? Number(stdout) : Number.POSITIVE_INFINITY;
}

/**
 * Compares the limit with the requests that can be in flight at once. Virtual users of a closed loop all are, so that a load
 * with too many cannot run; an open loop may need fewer than it allows.
 * @returns a sentence for the user where the load may need more than the limit; undefined where it cannot
 * @throws UsageError where the load needs more
 */
export function checkOpenFiles(settings: LoadSettings, limit: number): string | undefined {
  const users = usersHere(settings);
  const needed = users + OTHER_FILES;
  if (needed <= limit) return undefined;
  const { vus, segment: { of } = { of: 1 } } = settings;
  const most = Math.max(1, limit - OTHER_FILES) * of;
  const facts = `one process may open ${limit} files here (ulimit -Hn), and ${users} requests in flight need ${needed}`;
  const advice = `Raise the limit of open files, of the service or container too, or lower --${vus === undefined ? "max-in-flight" : "vus"} to ${most}`;
  if (vus !== undefined) throw new UsageError(`Cannot run ${vus} virtual users: ${facts}. ${advice}.`);
  return `With more than ${limit - OTHER_FILES} requests in flight, requests will fail on this machine: ${facts}. ${advice}.`;
}
