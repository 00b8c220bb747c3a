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

/** Groups that must not outlive this process. */
const owned = new Set<number>();
process.on("exit", () => {
  for (const pid of owned) killGroup(pid);
});

/**
 * Ends a group when this process ends, however it does short of SIGKILL.
 * @returns leaves it alone from now on, since it has ended
 */
export function endWithProcess(pid: number | undefined): () => void {
  if (pid === undefined) return () => undefined;
  owned.add(pid);
  return () => void owned.delete(pid);
}
