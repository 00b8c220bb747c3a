/** What the mock changes in its process on a machine with one core. */

import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";

/** Turns V8's concurrent marking off: its threads would occupy the only core for longer than a chunk may be late. */
export function keepToOneCore(): void {
  if (availableParallelism() === 1) setFlagsFromString("--no-concurrent-marking");
}
