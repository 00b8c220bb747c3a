/** What the mock changes in its process when it has but one core. */

import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";

/** Keeps the threads on which V8 marks garbage from taking the core for longer than a chunk may be late. */
export function keepToOneCore(): void {
  if (availableParallelism() === 1) setFlagsFromString("--no-concurrent-marking");
}
