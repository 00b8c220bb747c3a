/** Loads a target as a user does, and reads the result. */

import { expect } from "vitest";
import type { RunResult } from "../../formats/run.ts";
import { assay, type Ended, newFolder } from "./assay-process.ts";
import { resultOf } from "./read-results.ts";

export interface Loaded extends Ended {
  readonly run: RunResult;
  readonly folder: string;
}

/** Flags of a load that goes on until it is interrupted, and whose video tasks nobody cancels before. */
export const ENDLESS = [
  ...["--rate", "20", "--duration", "5m", "--warmup", "0"],
  ...["--poll-interval", "200ms", "--cancel-share", "0"],
];

/** Objectives that a short load can decide: too few units of work are due for the default error rate. */
export const FEW_UNITS = ["--no-default-slos", "--slo", "ok>=1"];

/** Runs a load to its end, which must leave a result; `env` adds to a clean environment. */
export async function loadToEnd(
  scenario: string,
  target: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const folder = newFolder();
  const ended = await assay(["load", scenario, "--target", target, "--out", folder, ...flags], env);
  expect(ended.code, ended.stderr + ended.stdout).not.toBe(3);
  return { ...ended, run: resultOf(folder), folder };
}

/** The same for a short load that must succeed. */
export async function load(scenario: string, target: string, ...flags: readonly string[]): Promise<Loaded> {
  const loaded = await loadToEnd(scenario, target, [...FEW_UNITS, ...flags]);
  expect(loaded.code, loaded.stderr + loaded.stdout).toBe(0);
  return loaded;
}
