/** The bundled mock in a process of its own, as users run it. */

import { afterAll } from "vitest";
import { z } from "zod";
import { type Running, startAssay } from "../commands/assay-process.ts";

export interface MockProcess {
  readonly url: string;
  /** The JSON of a control path, such as `state`. */
  inspect(path: string): Promise<unknown>;
  /** Video tasks that have not ended. */
  openTasks(): Promise<number>;
  stop(): Promise<void>;
}

const state = z.object({ tasks: z.object({ processing: z.number() }) });

const started: Running[] = [];
// Registered when a test file imports this: a hook that is registered within a test does not run.
afterAll(() => Promise.all(started.map(stopped)));

async function stopped({ child, ended }: Running): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

/** Starts `assay mock` with flags; it is stopped after the tests of the file. */
export const startMockProcess = (...flags: readonly string[]): Promise<MockProcess> => startMockWith({}, ...flags);

/** The same with variables. */
export async function startMockWith(
  env: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<MockProcess> {
  const running = startAssay(["mock", ...flags], env);
  started.push(running);
  const url = await running.until(/ready (http:\/\/\S+)/);
  const inspect = async (path: string): Promise<unknown> => (await fetch(`${url}/_mock/${path}`)).json();
  return {
    url,
    inspect,
    openTasks: async () => state.parse(await inspect("state")).tasks.processing,
    stop: () => stopped(running),
  };
}
