/** Cancels, after a run, the video tasks that it left open; whatever ended the run. */

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { join } from "node:path";
import PQueue from "p-queue";
import { z } from "zod";
import { notify } from "../../cli/console.mjs";
import { mayBeSent, told } from "../../cli/trust.ts";
import { type Connection, secretsOf } from "../../conformance/engine/target-connection.ts";
import { withOwnHeaders } from "../../contract/own-headers.ts";
import { bearer, TERMINAL_STATES, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import { FILES } from "../../formats/file-names.ts";
import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { boundedText } from "../../lib/bounded-text.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { appendToOwnFile } from "../../lib/own-files.ts";
import { redactor } from "../../lib/redact.ts";
import { plainLine } from "../../lib/text.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { formatNumber, plural } from "../../reports/numbers.ts";
import { Connections } from "../../route/connections.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { type OpenTasks, openTasksOf } from "./open-tasks.ts";

/** Cancels that are under way at the same time. */
const CONCURRENT = 16;

/** How tasks are cancelled. */
export interface CleanUpOptions {
  /** Result folder, whose journal tells which tasks are open. */
  readonly folder: string;
  /** Ways to reach the target, one per API key: a task belongs to whoever submitted it. */
  readonly connections: readonly Connection[];
  /** Longest time for all cancels together, in milliseconds. */
  readonly withinMs: number;
  /** Ends the clean-up before. */
  readonly leave?: AbortSignal;
  /** Open tasks that are known in memory: the journal may have been removed, or its disk may be full. */
  readonly known?: readonly string[];
  /** Is told that the clean-up begins. */
  readonly say?: (line: string) => void;
}

export interface CleanUp {
  /** Sentences for the user about tasks that may still run (and may still cost money). */
  readonly warnings: readonly string[];
  /** Of these, that the journal could not be read; absent where it could. */
  readonly problem?: string;
  /** Tasks that have ended, by our cancel or before it. */
  readonly ended: readonly string[];
  /** A sentence about the tasks that had completed before they could be cancelled, and their cost; absent without one. */
  readonly completed?: string;
}

/** How a task ended. */
interface End {
  readonly task: string;
  readonly state: (typeof TERMINAL_STATES)[number];
  /** Of a completed task, in the unit of the target; absent where it does not tell. */
  readonly cost?: number | undefined;
}

/** Cancels what is still open, and notes it in the journal. Never throws: what could not be done is in the warnings. */
export async function cancelLeftovers(options: CleanUpOptions): Promise<CleanUp> {
  const { folder, connections, known = [], withinMs, say } = options;
  const { problem, ...journal } = await journalOf(folder);
  const redact = redactor(secretsOf(connections), []).text;
  const written = new Set(known.map(redact));
  const all = [...new Set([...journal.tasks.filter((task) => !written.has(task)), ...known])];
  const tasks = all.filter((task) => mayBeSent(task, redact));
  if (tasks.length > 0) {
    say?.(
      `Cancelling ${plural(tasks.length, "video task")}, within ${formatDuration(withinMs)}. Press Ctrl-C to leave what is not cancelled yet.`,
    );
  }
  const ended = tasks.length === 0 ? [] : await endAll(tasks, options);
  if (problem === undefined) noteEnded(folder, ended);
  const endedTasks = ended.map(({ task }) => task);
  const open = tasks.filter((task) => !endedTasks.includes(task));
  const completed = completedOf(ended);
  const unsent = all.filter((task) => !tasks.includes(task)).map(redact);
  const command = `assay clean-up ${folder}${connections[0] === undefined ? "" : ` --target ${connections[0].target}`}`;
  return {
    warnings: [
      ...warningsOf(command, { ...journal, tasks: open }, unsent),
      ...(problem === undefined ? [] : [problem]),
    ],
    ...(problem !== undefined && { problem }),
    ended: endedTasks,
    ...(completed !== undefined && { completed }),
  };
}

/** Tasks that completed meanwhile cost what a report that was made of the records does not know. */
function completedOf(ended: readonly End[]): string | undefined {
  const completed = ended.filter(({ state }) => state === "completed");
  if (completed.length === 0) return undefined;
  const costs = completed.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const sum = costs.reduce((total, cost) => total + cost, 0);
  const count = `${plural(completed.length, "video task")} had completed before a cancel came.`;
  if (costs.length === 0) return `${count} The target does not tell their cost.`;
  const of = costs.length === completed.length ? "They" : `${costs.length} of them`;
  return `${count} ${of} cost ${formatNumber(sum)}, in the unit of the target, which is not in the report.`;
}

/** What the journal leaves open; where it cannot be read at all, why. */
async function journalOf(folder: string): Promise<OpenTasks & { readonly problem?: string }> {
  try {
    return await openTasksOf(folder);
  } catch (error) {
    const problem = `${reasonOf(error)} Look at the service for open tasks.`;
    return { tasks: [], unanswered: [], statuses: new Map(), damaged: 0, problem };
  }
}

/** Names the tasks that may still run; at once, for whatever comes next may fail. */
export function warn({ warnings, completed }: CleanUp): void {
  for (const line of [...(completed === undefined ? [] : [completed]), ...warnings]) notify(line);
}

async function endAll(
  tasks: readonly string[],
  { connections, withinMs, leave }: CleanUpOptions,
): Promise<readonly End[]> {
  const { signal, clear } = timeLimit(withinMs, ...(leave === undefined ? [] : [leave]));
  // Each request under way listens to it; Node warns of more than ten listeners.
  setMaxListeners(2 * CONCURRENT, signal);
  const queue = new PQueue({ concurrency: CONCURRENT });
  const clients: Client[] = [];
  try {
    for (const connection of connections) clients.push({ ...connection, signal, sender: new Connections(connection) });
    const ends = await queue.addAll(tasks.map((task) => () => endOf(clients, task)));
    return ends.filter((end) => end !== undefined);
  } catch {
    // A file of certificates that is gone; the tasks are named.
    return [];
  } finally {
    clear();
    await Promise.all(clients.map(({ sender }) => sender.destroy()));
  }
}

/** A journal that cannot be written keeps its tasks open; a later clean-up finds that they have ended. */
function noteEnded(folder: string, ended: readonly End[]): void {
  const at = new Date().toISOString();
  const lines = ended.map(
    ({ task, state }) => `${JSON.stringify({ event: "ended", at, task, state } satisfies TaskEvent)}\n`,
  );
  try {
    // The last line may have been cut off; an empty one is none.
    if (lines.length > 0) appendToOwnFile(join(folder, FILES.tasks), `\n${lines.join("")}`);
  } catch {}
}

/** `requests a, b` */
const named = (what: string, ids: readonly string[]): string =>
  `${what}${ids.length === 1 ? "" : "s"} ${ids.join(", ")}`;

const openTasks = (ids: readonly string[]): string =>
  `${named("Video task", ids)} could not be cancelled and may still run`;

const lookFor = ({ length }: readonly string[]): string => `Look for ${length === 1 ? "it" : "them"} at the service.`;

/**
 * One sentence per kind, however many there are: each names all, because the journal may be lost.
 * @param command cancels the tasks
 * @param unsent ids of tasks that are never sent
 */
function warningsOf(
  command: string,
  { tasks, unanswered, statuses, damaged }: OpenTasks,
  unsent: readonly string[],
): string[] {
  const byStatus = groupedBy(unanswered, (id) => statuses.get(id));
  return [
    ...[...byStatus].map(
      ([status, ids]) =>
        `${ids.length === 1 ? "A video task" : "Video tasks"} may have been created by ${named("request", ids)}, ${status === undefined ? "which got no complete response" : `whose response (status ${status}) names none`}. ${lookFor(ids)}`,
    ),
    ...(tasks.length === 0 ? [] : [`${openTasks(tasks.map(plainLine))}. To cancel: ${command}`]),
    ...(unsent.length === 0
      ? []
      : [
          `${openTasks(unsent.map(told))}. An id that holds a secret or is not valid in an address is not sent. ${lookFor(unsent)}`,
        ]),
    ...(damaged === 0
      ? []
      : [
          `${plural(damaged, "line")} of ${FILES.tasks} could not be read; look at the service for tasks that it may tell of.`,
        ]),
  ];
}

/** How the task has ended, by our cancel or before it; undefined when it may still run. */
async function endOf(clients: readonly Client[], task: string): Promise<End | undefined> {
  for (const client of clients) {
    if (client.signal.aborted) return undefined;
    const { status, body } = await send(client, "POST", videoCancelPath(task));
    // A response that is no JSON, such as one without end, confirms nothing.
    if (status === 200 && isObject(parseJson(body))) return { task, state: "cancelled" };
    const poll = await send(client, "GET", videoTaskPath(task));
    const seen = taskEnd.safeParse(parseJson(poll.body)).data;
    if (seen !== undefined) return { task, state: seen.status, cost: seen.usage?.total_cost };
  }
  return undefined;
}

interface Client extends Connection {
  readonly sender: Connections;
  /** Ends all requests when the time for the clean-up is over. */
  readonly signal: AbortSignal;
}

async function send(
  { target, apiKey, headers, withoutHeader, sender, signal }: Client,
  method: "GET" | "POST",
  path: string,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const { statusCode, body } = await sender.request(target + path, {
      method,
      headers: {
        ...withOwnHeaders({ requestId: randomUUID(), headers, withoutHeader }),
        ...(apiKey && { authorization: bearer(apiKey) }),
      },
      signal,
    });
    return { status: statusCode, body: (await boundedText(body, SIZE_LIMITS.checked)) ?? "" };
  } catch {
    return { status: 0, body: "" };
  }
}

const taskEnd = z.object({
  status: z.enum(TERMINAL_STATES),
  usage: z
    .object({ total_cost: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
