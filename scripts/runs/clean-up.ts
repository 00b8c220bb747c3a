/** Cancels, after a run, the video tasks that its journal leaves open; the last safety net, whatever ended the run. */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Client, type ClientOptions, httpClient } from "../../conformance/exchange.ts";
import { TERMINAL_STATES, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import { plainLine } from "../../reports/text.ts";
import { openTasksOf } from "./video-tasks.ts";

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Cancels what is still open in a result folder.
 * @returns sentences for the user, one about each task that may still run (and may still cost money)
 */
export async function cancelLeftovers(
  folder: string,
  connection: Omit<ClientOptions, "timeoutMs">,
): Promise<readonly string[]> {
  const { tasks, unanswered } = openTasksOf(folder);
  const warnings: string[] = unanswered.map(
    (id) => `A video task may have been created by request ${id}, whose answer never came. Look for it at the service.`,
  );
  if (tasks.length === 0) return warnings;
  const client = httpClient({ ...connection, timeoutMs: REQUEST_TIMEOUT_MS });
  try {
    for (const task of tasks) {
      if (!(await cancelled(client, task))) {
        warnings.push(`Video task ${plainLine(task)} could not be cancelled and may still run. Cancel it by hand.`);
      }
    }
  } finally {
    await client.close();
  }
  return warnings;
}

/** Whether the task has ended, by our cancel or before it. */
async function cancelled(client: Client, task: string): Promise<boolean> {
  const send = (method: "GET" | "POST", path: string) =>
    client.send({
      probe: "clean-up",
      method,
      path,
      requestId: randomUUID(),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  const { answer } = await send("POST", videoCancelPath(task));
  if (answer?.status === 200) return true;
  const poll = await send("GET", videoTaskPath(task));
  return hasEnded(poll.answer?.body);
}

const taskState = z.object({ status: z.enum(TERMINAL_STATES) });

function hasEnded(body: string | undefined): boolean {
  try {
    return taskState.safeParse(JSON.parse(body ?? "")).success;
  } catch {
    return false;
  }
}
