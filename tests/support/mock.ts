/** The bundled mock as a process of its own, the way users run it. */

import { afterAll } from "vitest";
import { type Running, startAssay } from "./assay.ts";

export interface MockProcess {
  readonly url: string;
  /** The control path's answer to a GET. */
  inspect(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts `assay mock` with flags; it is stopped after the tests of the file. */
export async function startMockProcess(...flags: readonly string[]): Promise<MockProcess> {
  const running: Running = startAssay(["mock", ...flags]);
  const url = await running.until(/ready (http:\/\/\S+)/);
  const stop = async (): Promise<void> => {
    running.child.kill("SIGTERM");
    await running.ended;
  };
  afterAll(stop);
  return {
    url,
    inspect: async (path) => (await fetch(`${url}/_mock/${path}`)).json(),
    stop,
  };
}
