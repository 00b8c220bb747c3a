/** A result whose sections fail alone: what cannot be made is named, and costs nothing else. Pure. */

import { type RunResult, runResult } from "../../formats/run.ts";
import { reasonOf } from "../../settings/usage-error.ts";

/** Makes the sections of a result that the rest can do without. */
export class OptionalSections {
  /** A sentence without its end for each section that could not be made. */
  readonly unmade: string[] = [];

  /** @param name the section, as a reader calls it */
  async make<T>(name: string, make: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await make();
    } catch (error) {
      this.unmade.push(`${name}: ${reasonOf(error)}`);
      return undefined;
    }
  }
}

/** The result without those of its optional sections that `run.json` cannot hold, such as a number that is not finite. */
export function withoutUnwritable(run: RunResult): RunResult {
  const issues = runResult.safeParse(run).error?.issues ?? [];
  const broken = new Map(issues.map(({ path, message }) => [String(path[0]), message]));
  const optional = [...broken.keys()].filter(isOptional);
  if (optional.length === 0) return run;
  const kept = Object.fromEntries(Object.entries(run).filter(([name]) => !optional.includes(name)));
  const unmade = [...(run.unmade ?? []), ...optional.map((name) => `${name}: ${broken.get(name)}`)];
  return runResult.parse({ ...kept, unmade });
}

const isOptional = (name: string): boolean =>
  Object.entries(runResult.shape).some(([member, schema]) => member === name && schema.safeParse(undefined).success);
