/** Cancels, after a run, the video tasks that its journal leaves open; whatever ended the run. */

import { randomUUID } from "node:crypto";
import { type Dispatcher, request } from "undici";
import { z } from "zod";
import { type Connection, dispatcherOf } from "../../conformance/engine/target-connection.ts";
import { bearer, TERMINAL_STATES, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import { parseJson } from "../../lib/json.ts";
import { plainLine } from "../../lib/text.ts";
import { openTasksOf } from "./open-tasks.ts";

const REQUEST_TIMEOUT_MS = 10_000;

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
}

/**
 * Cancels what is still open in a result folder.
 * @param connections ways to reach the target, one per API key: a task belongs to whoever submitted it
 */
export async function cancelLeftovers(folder: string, ...connections: readonly Connection[]): Promise<CleanUp> {
  const { tasks, unanswered } = openTasksOf(folder);
  const warnings: string[] = unanswered.map(
    (id) => `A video task may have been created by request ${id}, which got no response. Look for it at the service.`,
  );
  const cancels: Cancel[] = [];
  if (tasks.length === 0) return { warnings, cancels };
  const clients = connections.map((connection) => ({ ...connection, dispatcher: dispatcherOf(connection) }));
  try {
    for (const task of tasks) {
      if (!(await hasEndedBy(clients, task, cancels))) {
        warnings.push(`Video task ${plainLine(task)} could not be cancelled and may still run. Cancel it by hand.`);
      }
    }
  } finally {
    await Promise.all(clients.map(({ dispatcher }) => dispatcher.destroy()));
  }
  return { warnings, cancels };
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
}

async function send(
  { target, apiKey, headers, dispatcher }: Client,
  method: "GET" | "POST",
  path: string,
  requestId: string,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const { statusCode, body } = await request(target + path, {
      method,
      dispatcher,
      headers: { ...headers, "x-request-id": requestId, ...(apiKey && { authorization: bearer(apiKey) }) },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: statusCode, body: await body.text() };
  } catch {
    return { status: 0, body: "" };
  }
}

const taskState = z.object({ status: z.enum(TERMINAL_STATES) });

const showsEnd = (body: string): boolean => taskState.safeParse(parseJson(body)).success;
