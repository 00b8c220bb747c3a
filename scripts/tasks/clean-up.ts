/** Cancels, after a run, the video tasks that its journal leaves open; the last safety net, whatever ended the run. */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Client, type ClientOptions, httpClient } from "../../conformance/engine/http-client.ts";
import { TERMINAL_STATES, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
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
  /** 0 without an answer. */
  readonly status: number;
}

export interface CleanUp {
  /** Sentences for the user, one about each task that may still run (and may still cost money). */
  readonly warnings: readonly string[];
  readonly cancels: readonly Cancel[];
}

/**
 * Cancels what is still open in a result folder.
 * @param connections ways to reach the target, one an API key: a task belongs to whoever submitted it
 */
export async function cancelLeftovers(
  folder: string,
  ...connections: readonly Omit<ClientOptions, "timeoutMs">[]
): Promise<CleanUp> {
  const { tasks, unanswered } = openTasksOf(folder);
  const warnings: string[] = unanswered.map(
    (id) => `A video task may have been created by request ${id}, whose answer never came. Look for it at the service.`,
  );
  const cancels: Cancel[] = [];
  if (tasks.length === 0) return { warnings, cancels };
  const clients = connections.map((connection) => httpClient({ ...connection, timeoutMs: REQUEST_TIMEOUT_MS }));
  try {
    for (const task of tasks) {
      if (!(await hasEndedBy(clients, task, cancels))) {
        warnings.push(`Video task ${plainLine(task)} could not be cancelled and may still run. Cancel it by hand.`);
      }
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
  return { warnings, cancels };
}

/** Whether the task has ended, by our cancel or before it. */
async function hasEndedBy(clients: readonly Client[], task: string, cancels: Cancel[]): Promise<boolean> {
  for (const client of clients) {
    const sentMs = Date.now();
    const id = randomUUID();
    const { answer } = await send(client, "POST", videoCancelPath(task), id);
    const status = answer?.status ?? 0;
    cancels.push({ id, task, sentMs, tookMs: Date.now() - sentMs, status });
    if (status === 200) return true;
    const poll = await send(client, "GET", videoTaskPath(task), randomUUID());
    if (showsEnd(poll.answer?.body)) return true;
  }
  return false;
}

const send = (client: Client, method: "GET" | "POST", path: string, requestId: string) =>
  client.send({ probe: "clean-up", method, path, requestId, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

const taskState = z.object({ status: z.enum(TERMINAL_STATES) });

function showsEnd(body: string | undefined): boolean {
  try {
    return taskState.safeParse(JSON.parse(body ?? "")).success;
  } catch {
    return false;
  }
}
