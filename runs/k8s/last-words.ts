/** What a cluster says of the pods of a run that is about to be deleted: events and the ends of logs, which go with them. */

import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import { plainLine, shorten } from "../../lib/text.ts";
import type { ClusterPart, ClusterState } from "./cluster-state.ts";
import type { Kubectl } from "./kubectl.ts";

/** Lines of each kind, at most, and characters of each. */
const MOST_EVENTS = 5;
const MOST_LOGS = 2;
const LOG_LINES = 5;
const LONGEST_LINE = 300;

const event = z.object({
  involvedObject: z.object({ kind: z.string().default(""), name: z.string().default("") }).prefault({}),
  reason: z.string().default(""),
  message: z.string().default(""),
  count: z.number().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
});
const events = z.object({ items: z.array(z.unknown()) });

/**
 * The last warnings about a run and the last lines of its pods that failed, a line each. Nothing where the cluster does not tell.
 * @param name of the run, and of its claim
 */
export async function lastWordsOf(
  kubectl: Kubectl,
  name: string,
  state: ClusterState | undefined,
): Promise<readonly string[]> {
  const warnings = await warningsOf(kubectl, name);
  const parts = (state?.parts ?? []).filter(hasFailed).slice(0, MOST_LOGS);
  const logs = await Promise.all(parts.map((part) => endOfLog(kubectl, part)));
  return [...warnings, ...logs.flat()];
}

/** A pod that ended with an error, or an initializer that does not end. */
const hasFailed = ({ role, state, exitCode }: ClusterPart): boolean =>
  (state === "ended" && exitCode !== 0) || (role === "initializer" && state === "running");

async function warningsOf(kubectl: Kubectl, name: string): Promise<readonly string[]> {
  const { code, stdout } = await kubectl(["get", "events", "--field-selector", "type=Warning", "--output", "json"]);
  const read = events.safeParse(code === 0 ? parseJson(stdout) : undefined);
  const ofRun = (read.data?.items ?? [])
    .flatMap((item) => event.safeParse(item).data ?? [])
    .filter(({ involvedObject: { name: of } }) => of === name || of.startsWith(`${name}-`))
    .map((each) => ({ ...each, at: each.lastTimestamp ?? each.eventTime ?? "" }))
    .sort((a, b) => a.at.localeCompare(b.at));
  const lines = ofRun.map(({ involvedObject, reason, message }) =>
    inOneLine(`event of ${involvedObject.kind} ${involvedObject.name}: ${reason}: ${message}`),
  );
  return [...new Set(lines.reverse())].slice(0, MOST_EVENTS).reverse();
}

async function endOfLog(kubectl: Kubectl, { name }: ClusterPart): Promise<readonly string[]> {
  const { code, stdout } = await kubectl(["logs", name, `--tail=${LOG_LINES}`]);
  if (code !== 0) return [];
  const lines = stdout.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => inOneLine(`log of ${name}: ${line}`));
}

const inOneLine = (text: string): string => shorten(plainLine(text), LONGEST_LINE);
