/** What a load needs of a k6 without the extension, and whether that can do it. */

import { ticksOf } from "../../../scenarios/process/arrival-ticks.ts";
import type { LoadSettings } from "../../../scenarios/process/checked-settings.ts";
import { scheduleOf, usersOf } from "../../../scenarios/process/run-options.ts";
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
}

/** Settings that a stock k6 would silently pass over. */
const NEEDING_EXTENSION = ["startAt", "traceparent", "memoryLimit"] as const;

/**
 * What is counted from outside of a load.
 * @throws UsageError when k6 is a stock one and cannot make such a load
 */
export function stockPlanOf({ scenario, settings, segment }: Load, k6: K6): StockPlan {
  const inFlightLimit = usersOf(settings);
  const { caFile } = settings;
  if (k6.kind === "assay") return { ticks: undefined, inFlightLimit, caFile };
  const unsupported = segment ? "segment" : NEEDING_EXTENSION.find((name) => settings[name]);
  if (unsupported !== undefined) {
    throw new UsageError(
      `Cannot use --${settingKey(unsupported)} with ${k6.path}: that needs a k6 with Assay's extension. ${GO_HINT}, or leave it out.`,
    );
  }
  if (caFile !== undefined && process.platform !== "linux") {
    throw new UsageError(
      `Cannot use --ca-file with ${k6.path}: a k6 without Assay's extension takes certificates on Linux only. ${GO_HINT}, or let the system trust the certificate.`,
    );
  }
  return { ticks: ticksOf(scheduleOf(scenario, settings)), inFlightLimit, caFile };
}
