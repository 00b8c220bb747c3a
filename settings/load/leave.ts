/** Clients that leave streamed chats before their end (`--leave`). Pure: runs in Node and inside k6. */

import { parseDuration, parseShare } from "../units.ts";
import { UsageError } from "../usage-error.ts";

export interface Leave {
  /** Share of the streamed chats whose client leaves, and when, as it was written. */
  readonly share: number;
  readonly at: string;
  /** The part of `max_tokens` that it reads, 0 for the first token alone; absent of one that leaves after a time. */
  readonly part?: number;
  readonly ms?: number;
}

/**
 * Reads a share and a point, such as `10%@first-token`, `10%@50%` (of max_tokens) or `10%@2s` (after the request was sent).
 * @throws UsageError for another text
 */
export function parseLeave(text: string): Leave {
  const [share = "", at = "", ...more] = text.split("@").map((part) => part.trim());
  const common = { share: parseShare(share), at };
  const part = at === "first-token" ? 0 : at.endsWith("%") ? parseShare(at) : undefined;
  if (more.length === 0 && part !== undefined && (part > 0 || at === "first-token")) return { ...common, part };
  const ms = more.length === 0 && /^\d+(?:\.\d+)?[a-z]+$/.test(at) ? parseDuration(at) : 0;
  if (ms > 0) return { ...common, ms };
  throw new UsageError(
    `"${text}" does not say who leaves and when; write a share and a point, such as 10%@first-token, 10%@50% (of max_tokens) or 10%@2s`,
  );
}

/** Writes it the way `parseLeave` reads it. */
export const formatLeave = ({ share, at }: Leave): string => `${Number((share * 100).toPrecision(12))}%@${at}`;

/** Whether a client that leaves at this point has always read its first token: how long that took chooses none of them. */
export const readsFirstToken = (at: string): boolean => at === "first-token" || at.endsWith("%");
