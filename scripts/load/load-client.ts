/** Starts the k6 that loads a target and writes its measurements into the result folder. */

import type { K6 } from "../toolchain/find-k6.mjs";
import { type K6Start, type LoadClient, startK6, withExtension } from "./k6-process.ts";
import { type StockPlan, startStockK6 } from "./stock/stock-k6.ts";

/** Starts a load; the k6 decides how it is measured. */
export function startLoad(k6: K6, start: Omit<K6Start, "path">, plan: StockPlan): LoadClient {
  const whole = { ...start, path: k6.path };
  if (k6.kind === "stock") return startStockK6(k6.version, whole, plan);
  const { stop, ended, closeLog, sample } = startK6(whole, withExtension(start.folder));
  return { stop, ended, finish: closeLog, ...(sample && { sample }) };
}
