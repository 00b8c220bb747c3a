/** Gives fuzz targets their share of some inputs, and says what each found. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { notify, print } from "../../cli/console.mjs";
import type { FuzzTarget } from "./fuzz-targets.ts";

/** A target of any kind. */
export interface Runnable {
  readonly name: string;
  /** Its share of all inputs, relative to the others. */
  readonly weight: number;
  /** Tries a number of inputs; a text says what was found. */
  readonly run: (inputs: number) => Promise<{ readonly tried: number; readonly finding?: string }>;
}

/** A target of fast-check. */
export const runnable = ({ name, weight, property }: FuzzTarget): Runnable => ({
  name,
  weight,
  run: async (inputs) => {
    const details = await fc.check(property, { numRuns: inputs });
    return details.failed
      ? { tried: details.numRuns, finding: (await fc.asyncDefaultReportMessage(details)) ?? "no details" }
      : { tried: details.numRuns };
  },
});

/**
 * Gives the targets so many inputs together and prints how many each got.
 * @param findings folder for what is found, a file per target
 * @returns how many targets found something
 */
export async function fuzzAll(targets: readonly Runnable[], inputs: number, findings: string): Promise<number> {
  const weights = targets.reduce((sum, { weight }) => sum + weight, 0);
  let [total, failed] = [0, 0];
  for (const { name, weight, run } of targets) {
    const started = performance.now();
    const { tried, finding } = await run(Math.ceil((inputs * weight) / weights));
    total += tried;
    const seconds = Math.round((performance.now() - started) / 1_000);
    const found = finding === undefined ? "no finding" : "FINDING";
    print(`${name}: ${tried.toLocaleString("en")} inputs in ${seconds} s, ${found}\n`);
    if (finding === undefined) continue;
    failed += 1;
    mkdirSync(findings, { recursive: true });
    const file = join(findings, `${name.replaceAll(/\W+/g, "-")}.txt`);
    writeFileSync(file, finding);
    notify(`${finding}\nThis is also in ${file}.`);
  }
  print(`${total.toLocaleString("en")} inputs in all\n`);
  return failed;
}
