import { afterEach, expect, it, vi } from "vitest";
import { LOAD_FILE } from "../settings/load/load-json.ts";
import * as processState from "./process-state.ts";
import type { ProcessState } from "./shared-values.ts";

const WORKLOADS = 80;
const settings = {
  target: "http://host",
  warmup: "0",
  workload: {
    title: "many",
    workloads: Array.from({ length: WORKLOADS }, (_, nth) => ({
      name: `w${nth}`,
      operation: "chat",
      settings: { rate: "1", chatModel: `m${nth}` },
    })),
  },
};

/** What a virtual user makes in its init context: the endpoints, by their workloads. @param user its number */
async function madeBy(user: number): Promise<readonly unknown[]> {
  const made: unknown[] = [];
  class Endpoint {
    constructor({ workload }: { readonly workload: string }) {
      made.push(workload);
    }
  }
  const streamOf = (number: number) => (number === 0 ? undefined : number % WORKLOADS);
  vi.doMock("k6/x/assay", () => ({ Endpoint, streamOf, Prompts: class {}, Words: class {} }));
  vi.doMock("./shared-values.ts", () => ({
    sharedList: (_: string, make: (state: ProcessState) => readonly unknown[]) => [...make(processState)],
    shared: (_: string, make: (state: ProcessState) => unknown) => make(processState),
  }));
  vi.stubGlobal("__VU", user);
  vi.stubGlobal("__ENV", {});
  vi.stubGlobal("open", (file: string) =>
    file.endsWith(LOAD_FILE) ? JSON.stringify({ schema: "assay.load-settings/1", settings }) : "",
  );
  await import("./steps/chat.ts");
  return made;
}

afterEach(() => {
  vi.doUnmock("k6/x/assay");
  vi.doUnmock("./shared-values.ts");
  vi.resetModules();
  vi.unstubAllGlobals();
});

it("a virtual user makes what the requests of its own workload take, and none of 79 others", async () => {
  expect(await madeBy(3)).toEqual(["w3"]);
});

it("k6's own virtual user makes what the others share", async () => {
  expect(await madeBy(0)).toHaveLength(WORKLOADS);
});
