/** Values that are made once a process and read by every virtual user. JSON data only. */

import { SharedArray } from "k6/data";
import type * as Once from "./once.ts";

/** The bundler makes what is required whole, when it is first asked for. */
declare function require(file: "./once.ts"): typeof Once;
export const once = (): typeof Once => require("./once.ts");

/** A list that exists once a process; a virtual user holds only those items that it keeps. */
export const sharedList = <T>(name: string, make: (once: typeof Once) => readonly T[]): readonly T[] =>
  new SharedArray<T>(name, () => [...make(once())]);

/** A value that is made once a process. */
export function shared<T>(name: string, make: (once: typeof Once) => T): T {
  const value = sharedList(name, (from) => [make(from)])[0];
  if (value === undefined) throw new Error(`Cannot share ${name}: it is undefined.`);
  return value;
}
