/** How much work code does, as a count that is the same on a machine of any speed. */

import type { Session } from "node:inspector/promises";
import { vi } from "vitest";

export interface StepCounter<Module> {
  readonly module: Module;
  /**
   * How often blocks of the code are entered while a function runs: a loop of n turns counts n. What one call of a function of
   * Node does is not counted.
   */
  readonly stepsOf: (run: () => void) => Promise<number>;
}

/**
 * Counts the steps of code, until the session is disconnected.
 * @param path part of the paths of the files that count
 * @param load loads a module with what it imports, anew: V8 counts in code only that it loads while it counts
 */
export async function countSteps<Module>(
  session: Session,
  path: string,
  load: () => Promise<Module>,
): Promise<StepCounter<Module>> {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  vi.resetModules();
  const module = await load();
  const sinceLastCall = async (): Promise<number> => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const functions = result.filter(({ url }) => url.includes(path)).flatMap((script) => script.functions);
    return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
  };
  const stepsOf = async (run: () => void): Promise<number> => {
    await sinceLastCall();
    run();
    return sinceLastCall();
  };
  return { module, stepsOf };
}
