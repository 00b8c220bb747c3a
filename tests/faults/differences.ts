/** What came of a command under a fault, compared with what the matrix expects. Pure. */

import type { Found, Outcome } from "./cell.ts";

/** What differs, in words; nothing when all is as expected. */
export function differences(found: Found, expected: Outcome): readonly string[] {
  // A load that met its objectives on a machine that was too busy to measure them is inconclusive, as the page says.
  const isUndecided = expected.exit === 0 && found.exit === 2 && found.isClientLimited;
  return [
    ...found.left.map(({ pid, command }) => `process ${pid} was left: ${command}`),
    ...(found.exit === expected.exit || isUndecided ? [] : [`exit code ${found.exit} instead of ${expected.exit}`]),
    ...(found.result === expected.result ? [] : [`can be read: ${found.result} instead of ${expected.result}`]),
    ...(expected.tasks.split(" or ").includes(found.tasks)
      ? []
      : [`video tasks: ${found.tasks} instead of ${expected.tasks}`]),
    ...(isUndecided || isSaid(expected.says, found.output) ? [] : [`it does not say "${expected.says}"`]),
  ];
}

/** Whether the parts of a sentence, between which `…` stands for anything, are said in this order. */
function isSaid(sentence: string, output: string): boolean {
  let from = 0;
  for (const part of sentence.split("…")) {
    const at = output.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}
