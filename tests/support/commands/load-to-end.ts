/** Loads a target as a user does, and reads the result. */

import { expect } from "vitest";
import type { RunResult } from "../../../formats/run.ts";
import { isLate, isLateMostly } from "../../../reports/load/validity/client-lateness.ts";
import { resultOf } from "../results/read-results.ts";
import { assay, type Ended, newFolder } from "./assay-process.ts";
import { unspoiled } from "./busy-machine.ts";

export interface Loaded extends Ended {
  readonly run: RunResult;
  readonly folder: string;
}

/** Flags of a load that goes on until it is interrupted, and whose video tasks nobody cancels before. */
export const endless = (scenario: string): readonly string[] => [
  ...["--rate", "20", "--duration", "5m", "--warmup", "0"],
  ...videoFlags(scenario, "--poll-interval", "200ms", "--set", "cancel-share=0"),
];

/** Enough for a short load of tasks, conversations or a scenario of one's own: each is a virtual user that is made before the load. */
export const FEW_USERS = ["--max-in-flight", "50"];

/** Flags of video tasks, for a scenario that has some. */
export const videoFlags = (scenario: string, ...flags: readonly string[]): readonly string[] =>
  scenario === "video" || scenario === "mixed" ? [...FEW_USERS, ...flags] : [];

/** Objectives that a short load can decide: too few units of work are due for the default error rate. */
export const FEW_UNITS = ["--set", "no-default-slos", "--slo", "ok>=1"];

/** Runs a load of a scenario, or of what the flags name, to its end, which must leave a result; `env` adds to a clean environment. */
export async function loadToEnd(
  scenario: string | undefined,
  target: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const folder = newFolder();
  const ended = await assay(
    ["load", ...(scenario ? [scenario] : []), "--target", target, "--out", folder, ...flags],
    env,
  );
  expect(ended.code, ended.stderr + ended.stdout).not.toBe(3);
  return { ...ended, run: resultOf(folder), folder };
}

/** Runs a load; again, as long as the machine of the tests was too busy for its load generator. */
export const unhindered = (attempt: () => Promise<Loaded>): Promise<Loaded> =>
  unspoiled(attempt, ({ run: { validity } }) =>
    validity.verdict === "CLIENT-LIMITED"
      ? `the load is ${validity.verdict}: ${validity.reasons.join("; ")}`
      : undefined,
  );

/**
 * Requires that the verdict on a run that nothing in the test hinders is the right one: VALID, or CLIENT-LIMITED where its own
 * figures show that the machine of the tests was too busy each time.
 */
export function requireUnhindered({ run, stdout }: Pick<Loaded, "run" | "stdout">): void {
  const wasLate = run.validity.lateness.some((lateness) => isLate(lateness) || isLateMostly(lateness));
  expect(run.validity.verdict, stdout).toBe(wasLate ? "CLIENT-LIMITED" : "VALID");
}

/**
 * Requires that a load met its objectives. Its load generator may have been late, on a machine that does other work: whether
 * it says so is tested where that is the subject.
 */
export function requireMet({ run, code, stderr, stdout }: Loaded): void {
  expect(["VALID", "CLIENT-LIMITED"], stderr + stdout).toContain(run.validity.verdict);
  for (const { expr, ok } of run.slos) expect(ok, `${expr}: ${stderr}${stdout}`).toBe(true);
  expect(code, stderr + stdout).toBe(run.validity.verdict === "VALID" ? 0 : 2);
}

/** The same for a short load that must meet its objectives. */
export async function load(scenario: string, target: string, ...flags: readonly string[]): Promise<Loaded> {
  const loaded = await loadToEnd(scenario, target, [...FEW_UNITS, ...flags]);
  requireMet(loaded);
  return loaded;
}
