/** How a comparison writes changes. */

import type { ComparedMetric } from "../../formats/compare.ts";

type Scale = ComparedMetric["scale"];

/** From this change on, as many times as large are easier to read than percent. */
const LARGE = 10;

/** `+5.2%`, `-0.12%`, `+0.5 points`, `46x` from +1,000% on; small changes keep two significant digits. */
export function formatChange(change: number, scale: Scale, signed = true): string {
  if (signed && scale === "relative" && change >= LARGE) return formatFactor(1 + change);
  const percent = change * 100;
  const digits = Math.abs(percent) >= 10 || percent === 0 ? 0 : Math.abs(percent) >= 1 ? 1 : 2;
  const text = Math.abs(percent).toLocaleString("en-US", { maximumFractionDigits: digits });
  const sign = !signed || Number(text.replaceAll(",", "")) === 0 ? "" : percent < 0 ? "-" : "+";
  return `${sign}${text}${scale === "relative" ? "%" : text === "1" ? " point" : " points"}`;
}

const formatFactor = (factor: number): string => `${Math.round(factor).toLocaleString("en-US")}x`;

/** What the data does not tell. */
const UNKNOWN = "unknown";

/** `+3.1% to +9%`; `-61% to unknown` where the data sets no upper bound, `-100%` where it sets no lower one. */
export function formatInterval({ interval, scale }: Pick<ComparedMetric, "interval" | "scale">): string {
  if (interval === null) return "-";
  const [low, high] = interval;
  if (low === null && high === null) return UNKNOWN;
  const from = formatChange(low ?? -1, scale);
  const to = high === null ? UNKNOWN : formatChange(high, scale);
  return `${scale === "points" && high !== null ? from.replace(/ points?$/, "") : from} to ${to}`;
}

/** The smallest worsening that is shown; more than ten times the value is not told apart from a larger one. */
export function formatDetectable(detectable: number | null, scale: Scale): string {
  if (detectable === null) return UNKNOWN;
  return scale === "relative" && detectable >= LARGE
    ? `over ${formatFactor(1 + LARGE)}`
    : formatChange(detectable, scale, false);
}
