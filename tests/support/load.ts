/** A load as a user runs it, and its result. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type RunResult, runResult } from "../../reports/load/result.ts";
import { assay, newFolder } from "./assay.ts";

export interface Loaded {
  readonly run: RunResult;
  readonly folder: string;
  readonly stdout: string;
}

/** The result that a folder holds. */
export const resultOf = (folder: string): RunResult =>
  runResult.parse(JSON.parse(readFileSync(join(folder, "run.json"), "utf8")));

/** Loads a target to the end, which must be a success. */
export async function load(scenario: string, target: string, ...flags: readonly string[]): Promise<Loaded> {
  const folder = newFolder();
  const { code, stdout, stderr } = await assay(["load", scenario, "--target", target, "--out", folder, ...flags]);
  expect(code, stderr + stdout).toBe(0);
  return { run: resultOf(folder), folder, stdout };
}
