/** Values that are made once per process and read by every virtual user. JSON data only. */

import { SharedArray } from "k6/data";
import type * as processStateModule from "./process-state.ts";

export type ProcessState = typeof processStateModule;

/**
 * `require` in place of `import`: what is imported is made anew in each virtual user, at about a kilobyte per function.
 * The bundler (`singletonPlugin` in toolchain/bundle-scenario.ts) puts the required module into one function, which runs only
 * where this is called: in the virtual user that makes a shared value.
 */
declare function require(file: "./process-state.ts"): ProcessState;
export const processState = (): ProcessState => require("./process-state.ts");

/** A list that exists once per process; a virtual user holds only those items that it keeps. */
export const sharedList = <T>(name: string, make: (state: ProcessState) => readonly T[]): readonly T[] =>
  new SharedArray<T>(name, () => [...make(processState())]);

/** A value that is made once per process. */
export function shared<T>(name: string, make: (state: ProcessState) => T): T {
  const value = sharedList(name, (state) => [make(state)])[0];
  if (value === undefined) throw new Error(`Cannot share ${name}: it is undefined.`);
  return value;
}
