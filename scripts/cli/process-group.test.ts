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
