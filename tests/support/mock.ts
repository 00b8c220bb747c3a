/** The bundled mock as a process of its own, the way users run it. */

import { afterAll } from "vitest";
import { type Running, startAssay } from "./assay.ts";

export interface MockProcess {
  readonly url: string;
  /** The control path's answer to a GET. */
  inspect(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

const started: Running[] = [];
// Registered when a test file imports this: a hook that is registered within a test does not run.
afterAll(() => Promise.all(started.map(stopped)));

async function stopped({ child, ended }: Running): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

/** Starts `assay mock` with flags; it is stopped after the tests of the file. */
export async function startMockProcess(...flags: readonly string[]): Promise<MockProcess> {
  const running = startAssay(["mock", ...flags]);
  started.push(running);
  const url = await running.until(/ready (http:\/\/\S+)/);
  return {
    url,
    inspect: async (path) => (await fetch(`${url}/_mock/${path}`)).json(),
    stop: () => stopped(running),
  };
}
