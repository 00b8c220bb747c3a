/** What a load needs of a k6 without the extension, and whether that can do it. */

import type { LoadSettings } from "../../../scenarios/load-settings.ts";
import { scheduleOf, usersOf } from "../../../scenarios/profiles/shape.ts";
import { ticksOf } from "../../../scenarios/stock/plan.ts";
import { UsageError } from "../../../settings/usage-error.ts";
import { GO_HINT } from "../../k6.ts";
import type { K6 } from "../../setup/k6.mjs";
import type { StockPlan } from "./client.ts";

/**
 * What is counted from outside of a load.
 * @throws UsageError when k6 is a stock one and cannot make such a load
 */
export function stockPlanOf(scenario: string, settings: LoadSettings, k6: K6): StockPlan {
  const inFlightLimit = usersOf(settings);
  const { caFile } = settings;
  if (k6.kind === "assay") return { ticks: undefined, inFlightLimit, caFile };
  if (caFile !== undefined && process.platform !== "linux") {
    throw new UsageError(
      `Cannot use --ca-file with ${k6.path}: a k6 without Assay's extension takes certificates on Linux only. ${GO_HINT}, or let the system trust the certificate.`,
    );
  }
  return { ticks: ticksOf(scheduleOf(scenario, settings)), inFlightLimit, caFile };
}
