/** The bundled mock in another process, as users run it. */

import type { TestContext } from "vitest";
import { z } from "zod";
import { newFolder } from "../commands/assay-process.ts";
import { type Hosted, runHosted } from "../commands/command-hosts.ts";

export interface MockProcess {
  readonly url: string;
  /** The JSON of a control path, such as `state`. */
  inspect(path: string): Promise<unknown>;
  /** Video tasks that have not ended. */
  openTasks(): Promise<number>;
  stop(): Promise<void>;
}

const state = z.object({ tasks: z.object({ processing: z.number() }) });

const started = new Set<Hosted>();

/** Stops what a test file has started: after each file, by around-file.ts. */
export const stopMocks = (): Promise<unknown> => Promise.all([...started].map(stopped));

async function stopped(mock: Hosted): Promise<void> {
  mock.signal("SIGTERM");
  await mock.ended;
  started.delete(mock);
}

/** Starts `assay mock` with flags; it is stopped after the tests of the file. */
export const startMockProcess = (...flags: readonly string[]): Promise<MockProcess> => startMockWith({}, ...flags);

/** The same until a test ends; its process then serves the next. */
export async function mockOfTest({ onTestFinished }: TestContext, ...flags: readonly string[]): Promise<MockProcess> {
  const mock = await startMockProcess(...flags);
  onTestFinished(mock.stop);
  return mock;
}

/** The same with variables. */
export async function startMockWith(
  env: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<MockProcess> {
  const mock = runHosted({ args: ["mock", ...flags], env, cwd: newFolder() });
  started.add(mock);
  const url = await mock.until(/ready (http:\/\/\S+)/);
  const inspect = async (path: string): Promise<unknown> => (await fetch(`${url}/_mock/${path}`)).json();
  return {
    url,
    inspect,
    openTasks: async () => state.parse(await inspect("state")).tasks.processing,
    stop: () => stopped(mock),
  };
}
