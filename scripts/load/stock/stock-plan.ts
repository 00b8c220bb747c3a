/** What a load needs of a k6 without the extension, and whether that can do it. */

import { statSync } from "node:fs";
import { ticksOf } from "../../../scenarios/process/arrival-ticks.ts";
import type { LoadSettings } from "../../../scenarios/process/checked-settings.ts";
import { scheduleOf, streamsOf, usersOf } from "../../../scenarios/process/run-options.ts";
import type { Output } from "../../../settings/outputs.ts";
import type { Segment } from "../../../settings/segment.ts";
import { settingKey } from "../../../settings/setting.ts";
import { UsageError } from "../../../settings/usage-error.ts";
import type { K6 } from "../../toolchain/find-k6.mjs";
import { GO_HINT } from "../../toolchain/k6.ts";
import type { StockPlan } from "./stock-k6.ts";

/** A load, as far as a k6 without the extension may not be able to make it. */
interface Load {
  readonly scenario: string;
  readonly settings: LoadSettings;
  readonly segment?: Segment;
  readonly outputs?: readonly Output[];
}

/** Settings that a stock k6 would silently pass over. */
const NEEDING_EXTENSION = ["startAt", "traceparent", "memoryLimit"] as const;

/** A k6 without the extension holds all prompts in memory, several times. */
const MOST_PROMPTS_BYTES = 64 * 2 ** 20;

/**
 * What is counted from outside of a load.
 * @throws UsageError when k6 is a stock one and cannot make such a load
 */
export function stockPlanOf({ scenario, settings, segment, outputs = [] }: Load, k6: K6): StockPlan {
  const inFlightLimit = usersOf(settings);
  const { caFile } = settings;
  if (k6.kind === "assay") return { ticks: undefined, inFlightLimit, caFile };
  const converses = settings.workloads.some(({ turns }) => turns !== undefined);
  const unsupported = segment ? "segment" : converses ? "turns" : NEEDING_EXTENSION.find((name) => settings[name]);
  if (unsupported !== undefined) {
    throw new UsageError(
      `Cannot use --${settingKey(unsupported)} with ${k6.path}: that needs a k6 with Assay's extension. ${GO_HINT}, or leave it out.`,
    );
  }
  const [stream, ...others] = streamsOf(scenario, settings);
  if (others.length > 0) {
    throw new UsageError(
      `Cannot give each workload arrivals of its own with ${k6.path}: that needs a k6 with Assay's extension. ${GO_HINT}, or give each workload a weight, and the load one rate.`,
    );
  }
  for (const { prompts = "", inputLengths } of settings.workloads) {
    const { size = 0 } = statSync(prompts, { throwIfNoEntry: false }) ?? {};
    if (inputLengths !== undefined || size <= MOST_PROMPTS_BYTES) continue;
    throw new UsageError(
      `Cannot use the prompts ${prompts} with ${k6.path}: they are larger than ${MOST_PROMPTS_BYTES / 2 ** 20} MiB, and a k6 without Assay's extension holds them in memory. ${GO_HINT}, or name a smaller file.`,
    );
  }
  if (outputs.some(({ kind }) => kind === "otlp")) {
    throw new UsageError(
      `Cannot use --output otlp with ${k6.path}: that needs a k6 with Assay's extension, whose metrics have the names of the conventions. ${GO_HINT}, or use another output.`,
    );
  }
  if (caFile !== undefined && process.platform !== "linux") {
    throw new UsageError(
      `Cannot use --ca-file with ${k6.path}: a k6 without Assay's extension takes certificates on Linux only. ${GO_HINT}, or let the system trust the certificate.`,
    );
  }
  return { ticks: ticksOf(scheduleOf(scenario, settings, stream)), inFlightLimit, caFile };
}
