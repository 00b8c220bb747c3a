/**
 * Ends a process that leads a group, and what it started, whatever they do about other signals. Windows has no groups: there it
 * is the process alone.
 * @param pid undefined for one that did not start
 */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
