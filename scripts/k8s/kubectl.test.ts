import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "../../tests/support/assay-process.ts";
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

test("a kubectl that gives no answer is ended, and the call says so", async () => {
  const { code, stderr } = await kubectlIn()(["get", "pods"], { withinMs: 500 });
  expect({ code, stderr }).toEqual({ code: null, stderr: "it gave no answer within 500ms, and was ended" });
  expect(isRunning()).toBe(false);
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
