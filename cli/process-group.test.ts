import { spawnSync } from "node:child_process";
import { afterEach, expect, test, vi } from "vitest";
import { killGroup } from "./process-group.ts";

afterEach(() => void vi.restoreAllMocks());

test.each([
  ["linux", -7],
  ["win32", 7],
] as const)("a killed process takes its group with it, where there are groups (%s)", (platform, pid) => {
  vi.spyOn(process, "platform", "get").mockReturnValue(platform);
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  killGroup(7);
  expect(kill).toHaveBeenCalledExactlyOnceWith(pid, "SIGKILL");
});

test("a group that was started ends with this process, unless it had ended before", async () => {
  const code = `import { spawn } from "node:child_process";
    const { endWithProcess } = await import("./cli/process-group.ts");
    const started = () => spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).pid;
    const [kept, ended] = [started(), started()];
    endWithProcess(kept);
    endWithProcess(ended)();
    console.log(JSON.stringify([kept, ended]));
    process.exit(0);`;
  const args = ["--import", "./toolchain/typescript.mjs", "--input-type=module", "-e", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const [kept, ended]: [number, number] = JSON.parse(stdout || `"${stderr}"`);
  try {
    await expect.poll(() => isRunning(kept), { timeout: 30_000 }).toBe(false);
    expect(isRunning(ended)).toBe(true);
  } finally {
    killGroup(ended);
  }
});

/** Whether a process runs: one that ended and that nobody has waited for does not. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}
