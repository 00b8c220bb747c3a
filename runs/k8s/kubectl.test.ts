import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { endedBy, kubectlIn } from "./kubectl.ts";

let folder: string;

/** A kubectl that never answers and ignores every signal that it can; it writes its process id. */
beforeEach(() => {
  folder = newFolder();
  const program = join(folder, "kubectl");
  writeFileSync(
    program,
    `#!/bin/sh\ntrap '' TERM INT HUP\necho $$ > '${folder}/pid'\nwhile :; do read -r _ < /dev/zero; done\n`,
  );
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  return () => vi.unstubAllEnvs();
});

/** Whether the process still runs. */
function isRunning(): boolean {
  try {
    return process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), 0);
  } catch {
    return false;
  }
}

const hasBegun = () =>
  expect.poll(() => existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8")).toMatch(/\d\n/);

test("where there is no kubectl, the call says so, and no timer keeps Assay from its end", async () => {
  vi.stubEnv("PATH", newFolder());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await expect(kubectlIn()(["get", "pods"])).rejects.toThrow("Cannot run kubectl: it is not on the PATH.");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a kubectl that gives no answer is ended, and the call says so", async () => {
  const { code, stderr } = await kubectlIn()(["get", "pods"], { withinMs: 500 });
  expect({ code, stderr }).toEqual({ code: null, stderr: "it gave no answer within 500ms, and was ended" });
  expect(isRunning()).toBe(false);
});

test.each(["1", "2"])(
  "a kubectl that prints without end to descriptor %s is ended, and the call says so",
  async (to) => {
    writeFileSync(
      join(folder, "kubectl"),
      `#!/bin/sh\necho $$ > '${folder}/pid'\nexec yes aaaaaaaaaaaaaaaaaaaaaaaa >&${to}\n`,
    );
    const { code, stdout, stderr } = await kubectlIn()(["get", "pods"], { withinMs: 600_000 });
    expect({ code, stdout, stderr }).toEqual({
      code: null,
      stdout: "",
      stderr: "it printed more than 64 MiB, and was ended",
    });
    expect(isRunning()).toBe(false);
  },
);

test("a kubectl that leaves a program with its output is ended with it, and the call says so", async () => {
  writeFileSync(join(folder, "kubectl"), `#!/bin/sh\nsleep 600 &\necho $! > '${folder}/pid'\necho '{}'\n`);
  const { code, stderr } = await kubectlIn()(["get", "pods"], { withinMs: 500 });
  expect({ code, stderr }).toEqual({ code: null, stderr: "it gave no answer within 500ms, and was ended" });
});

test.each(["its own signal", "a signal of every call"])("%s ends a kubectl that gives no answer", async (which) => {
  const leave = new AbortController();
  const { signal } = leave;
  const call = which === "its own signal" ? kubectlIn()(["get"], { signal }) : endedBy(signal, kubectlIn())(["get"]);
  const ended = expect(call).rejects.toThrow("aborted");
  await hasBegun();
  leave.abort();
  await ended;
  expect(isRunning()).toBe(false);
});
