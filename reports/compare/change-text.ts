/** How a comparison writes changes. */

import type { ComparedMetric } from "../../formats/compare.ts";

/** `+5.2%`, `-0.12%`, `+0.5 points`; small changes keep two significant digits. */
export function formatChange(change: number, scale: ComparedMetric["scale"], signed = true): string {
  const percent = change * 100;
  const digits = Math.abs(percent) >= 10 || percent === 0 ? 0 : Math.abs(percent) >= 1 ? 1 : 2;
  const text = Math.abs(percent).toLocaleString("en-US", { maximumFractionDigits: digits });
  const sign = !signed || Number(text.replaceAll(",", "")) === 0 ? "" : percent < 0 ? "-" : "+";
  return `${sign}${text}${scale === "relative" ? "%" : text === "1" ? " point" : " points"}`;
}

/** `+3.1% to +9%`; `below`, `above` or `anything` where the data sets no bound. */
export function formatInterval({ interval, scale }: Pick<ComparedMetric, "interval" | "scale">): string {
  if (interval === null) return "-";
  const [low, high] = interval;
  if (low === null && high === null) return "anything";
  if (low === null) return `below ${formatChange(high ?? 0, scale)}`;
  if (high === null) return `above ${formatChange(low, scale)}`;
  const from = formatChange(low, scale);
  return `${scale === "points" ? from.replace(/ points?$/, "") : from} to ${formatChange(high, scale)}`;
}
