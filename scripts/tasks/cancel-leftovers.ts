/** Cancels, after a run, the video tasks that its journal leaves open; whatever ended the run. */

import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import PQueue from "p-queue";
import { type Dispatcher, request } from "undici";
import { z } from "zod";
import { type Connection, dispatcherOf } from "../../conformance/engine/target-connection.ts";
import { bearer, TERMINAL_STATES, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import { FILES } from "../../formats/file-names.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { parseJson } from "../../lib/json.ts";
import { plainLine } from "../../lib/text.ts";
import { plural } from "../../reports/numbers.ts";
import { type OpenTasks, openTasksOf } from "./open-tasks.ts";

/** All cancels together take no longer, so that an unresponsive target does not hold up the end of a run. */
export const CLEAN_UP_MS = 10_000;

/** Cancels that are under way at the same time. */
const CONCURRENT = 16;

/** A cancel that was sent. */
export interface Cancel {
  /** The `x-request-id` that it carried. */
  readonly id: string;
  readonly task: string;
  /** When it was sent, in milliseconds since 1970, and how long it took. */
  readonly sentMs: number;
  readonly tookMs: number;
  /** 0 without a response. */
  readonly status: number;
}

export interface CleanUp {
  /** Sentences for the user, one about each task that may still run (and may still cost money). */
  readonly warnings: readonly string[];
  readonly cancels: readonly Cancel[];
  /** Tasks that have ended, by our cancel or before it. */
  readonly ended: readonly string[];
}

/**
 * Cancels what is still open in a result folder, all of it within `CLEAN_UP_MS`, and notes it in the journal.
 * @param connections ways to reach the target, one per API key: a task belongs to whoever submitted it
 */
export async function cancelLeftovers(folder: string, ...connections: readonly Connection[]): Promise<CleanUp> {
  const { tasks, unanswered, damaged } = openTasksOf(folder);
  const cancels: Cancel[] = [];
  const ended = tasks.length === 0 ? [] : await endAll(tasks, connections, cancels);
  noteEnded(folder, ended);
  const open = tasks.filter((task) => !ended.includes(task));
  return { warnings: warningsOf(folder, { tasks: open, unanswered, damaged }), cancels, ended };
}

async function endAll(
  tasks: readonly string[],
  connections: readonly Connection[],
  cancels: Cancel[],
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(CLEAN_UP_MS);
  const clients = connections.map((connection) => ({ ...connection, signal, dispatcher: dispatcherOf(connection) }));
  const queue = new PQueue({ concurrency: CONCURRENT });
  try {
    const ended = await queue.addAll(tasks.map((task) => () => hasEndedBy(clients, task, cancels)));
    return tasks.filter((_, index) => ended[index]);
  } finally {
    await Promise.all(clients.map(({ dispatcher }) => dispatcher.destroy()));
  }
}

function noteEnded(folder: string, ended: readonly string[]): void {
  const at = new Date().toISOString();
  const lines = ended.map(
    (task) => `${JSON.stringify({ event: "ended", at, task, state: "cancelled" } satisfies TaskEvent)}\n`,
  );
  if (lines.length > 0) appendFileSync(join(folder, FILES.tasks), lines.join(""));
}

function warningsOf(folder: string, { tasks, unanswered, damaged }: OpenTasks): string[] {
  const command = `assay clean-up ${folder}`;
  return [
    ...unanswered.map(
      (id) => `A video task may have been created by request ${id}, which got no response. Look for it at the service.`,
    ),
    ...tasks.map(
      (task) => `Video task ${plainLine(task)} could not be cancelled and may still run. Cancel it with: ${command}`,
    ),
    ...(damaged === 0
      ? []
      : [
          `${plural(damaged, "line")} of ${FILES.tasks} could not be read; look at the service for tasks that it may tell of.`,
        ]),
  ];
}

/** Whether the task has ended, by our cancel or before it. */
async function hasEndedBy(clients: readonly Client[], task: string, cancels: Cancel[]): Promise<boolean> {
  for (const client of clients) {
    const sentMs = Date.now();
    const id = randomUUID();
    const { status } = await send(client, "POST", videoCancelPath(task), id);
    cancels.push({ id, task, sentMs, tookMs: Date.now() - sentMs, status });
    if (status === 200) return true;
    const poll = await send(client, "GET", videoTaskPath(task), randomUUID());
    if (showsEnd(poll.body)) return true;
  }
  return false;
}

interface Client extends Connection {
  readonly dispatcher: Dispatcher;
  /** Ends all requests when the time for the clean-up is over. */
  readonly signal: AbortSignal;
}

async function send(
  { target, apiKey, headers, dispatcher, signal }: Client,
  method: "GET" | "POST",
  path: string,
  requestId: string,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const { statusCode, body } = await request(target + path, {
      method,
      dispatcher,
      headers: { ...headers, "x-request-id": requestId, ...(apiKey && { authorization: bearer(apiKey) }) },
      signal,
    });
    return { status: statusCode, body: await body.text() };
  } catch {
    return { status: 0, body: "" };
  }
}

const taskState = z.object({ status: z.enum(TERMINAL_STATES) });

const showsEnd = (body: string): boolean => taskState.safeParse(parseJson(body)).success;
