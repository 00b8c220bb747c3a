/** What a user names a load by: a scenario, or a file of workloads. */

import { isWorkloadKind, WORKLOAD_KIND_NAMES } from "../../contract/operations.ts";
import { SCENARIOS } from "../../scenarios/scenario-list.ts";
import type { WeightedPart } from "../../settings/load/mix.ts";
import type { WorkloadEntry, Workloads } from "../../settings/load/workload.ts";
import { WORKLOAD_SETTINGS } from "../../settings/load/workload-settings.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { type Setting, settingFlag } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { MIXED_WORKLOADS } from "../../toolchain/bundle-scenario.ts";

/** The scenario that is a file of workloads. */
export const MIXED = "mixed";

type Flags = Readonly<Record<string, unknown>>;

/**
 * The flags with the file of workloads that a scenario stands for; a scenario that is none leaves out a file that a variable
 * or assay.yaml names.
 * @throws UsageError when both a scenario and a file are given
 */
export function withWorkloads(scenario: string | undefined, flags: Flags): Flags {
  const { workload } = flags;
  if (scenario === undefined) return flags;
  if (typeof workload === "string") {
    throw new UsageError(
      `Cannot load both ${scenario} and the workloads of ${workload}. Leave out the scenario, or --workload; a file can list ${scenario} as a workload.`,
    );
  }
  return { ...flags, workload: scenario === MIXED ? MIXED_WORKLOADS : null };
}

/**
 * Requires that each flag can have an effect on the scenario. A variable and assay.yaml serve several loads: what they set
 * is left out where it does not apply.
 * @throws UsageError for a flag that nothing would read
 */
export function requireUsedFlags(scenario: string | undefined, flags: Flags): void {
  if (scenario === undefined || !Object.hasOwn(SCENARIOS, scenario) || scenario === MIXED) return;
  if (flags["mix"] !== undefined) {
    throw new UsageError(
      `Cannot use --mix with ${scenario}: it weighs workloads, and ${scenario} is one. Load ${MIXED}, or a file with --workload.`,
    );
  }
  for (const [name, setting] of Object.entries<Setting>(WORKLOAD_SETTINGS)) {
    const of = setting.perWorkload;
    const isGiven = flags[name] !== undefined;
    if (!isGiven || !Array.isArray(of) || of.includes(scenario)) continue;
    throw new UsageError(
      `Cannot use ${settingFlag(name, setting)} with ${scenario}: it is for ${of.join(" and ")}. Leave it out.`,
    );
  }
}

/**
 * The workloads of a load, with the weights of `--mix`; undefined where the load is a scenario.
 * @throws UsageError when neither is given, or the mix does not fit the workloads
 */
export function workloadsFor(
  scenario: string | undefined,
  described: Workloads | undefined,
  mix: readonly WeightedPart[] | undefined,
): Workloads | undefined {
  if (described === undefined) {
    if (scenario !== undefined) return undefined;
    throw new UsageError(
      `Cannot load: no scenario is given. Name one of ${Object.keys(SCENARIOS).join(", ")}, or a file that describes the load with --workload.`,
    );
  }
  if (mix === undefined) return described;
  const { title, workloads } = described;
  return { title, workloads: mix.map((part) => weighted(part, workloads, title)) };
}

function weighted({ part, weight }: WeightedPart, workloads: readonly WorkloadEntry[], title: string): WorkloadEntry {
  const known = workloads.find(({ name }) => name === part);
  if (known !== undefined && known.weight === undefined) {
    throw new UsageError(
      `Cannot use --mix: the workload ${part} of ${title} has arrivals of its own, and a weight is a part of arrivals that workloads share. Leave it out.`,
    );
  }
  if (known !== undefined) return { ...known, weight };
  if (title === MIXED && isWorkloadKind(part)) return { name: part, operation: part, weight, settings: {} };
  const names = title === MIXED ? WORKLOAD_KIND_NAMES : workloads.map(({ name }) => name);
  throw new UsageError(
    `Cannot mix "${part}": it is not a workload of ${title}. ${didYouMean(part, names, "Workloads")}`,
  );
}
