/** A load as a user runs it, and its result. */

import { expect } from "vitest";
import type { RunResult } from "../../formats/run.ts";
import { assay, newFolder } from "./assay-process.ts";
import { resultOf } from "./result-files.ts";

export interface Loaded {
  readonly run: RunResult;
  readonly folder: string;
  readonly stdout: string;
}

/** Flags of a load that goes on until it is interrupted, and whose video tasks nobody cancels before. */
export const ENDLESS = [
  ...["--rate", "20", "--duration", "5m", "--warmup", "0"],
  ...["--poll-interval", "200ms", "--cancel-share", "0"],
];

/** Loads a target to the end, which must be a success. */
export async function load(scenario: string, target: string, ...flags: readonly string[]): Promise<Loaded> {
  const folder = newFolder();
  const { code, stdout, stderr } = await assay(["load", scenario, "--target", target, "--out", folder, ...flags]);
  expect(code, stderr + stdout).toBe(0);
  return { run: resultOf(folder), folder, stdout };
}
