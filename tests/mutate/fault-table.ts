/** What came of faults, as a table. Pure. */

import { z } from "zod";
import { type Fault, faultId } from "./fault.ts";

/** From the cheapest to all: each is run for what the ones before it did not see. */
export const SUITES = ["near", "related", "test", "all"] as const;
export type Suite = (typeof SUITES)[number];

export const TITLES: Readonly<Record<Suite, string>> = {
  near: "nearest unit tests",
  related: "related unit tests",
  test: "npm test",
  all: "npm run test:all",
};

/** What came of one fault so far. */
export const resultSchema = z.object({
  id: z.string(),
  seenBy: z.enum(SUITES).nullable(),
  /** The suites that did not see it. */
  passed: z.array(z.enum(SUITES)),
  /** The first test that failed, or what else ended the suite. */
  failed: z.string(),
  seconds: z.number(),
});
export type Result = z.infer<typeof resultSchema>;

const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return (line.length > 50 ? `${line.slice(0, 49)}…` : line).replaceAll("|", "\\|");
};

export function tableOf(faults: readonly Fault[], results: ReadonlyMap<string, Result>): string {
  const rows = faults.map((fault, nth) => {
    const { file, line, kind, was, becomes } = fault;
    const result = results.get(faultId(fault));
    const change = `\`${short(was)}\` → \`${short(becomes)}\``;
    const last = result?.passed.at(-1);
    const unseen = result && `nobody${last === undefined ? "" : `, up to ${TITLES[last]}`}`;
    const seen = result?.seenBy ? TITLES[result.seenBy] : (unseen ?? "not run");
    const cells = [nth + 1, `${file}:${line}`, kind, change, seen, short(result?.failed ?? "")];
    return `| ${cells.join(" | ")} | ${result?.seconds.toFixed(0) ?? ""} |`;
  });
  const found = faults.flatMap((fault) => results.get(faultId(fault)) ?? []);
  const counts = SUITES.map(
    (suite) => `${TITLES[suite]}: ${found.filter(({ seenBy }) => seenBy === suite).length} seen`,
  );
  return [
    "| # | place | kind | change | seen by | first failure | s |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    ...counts,
    `nobody: ${found.filter(({ seenBy }) => seenBy === null).length}`,
    `not run: ${faults.length - found.length}`,
    "",
  ].join("\n");
}
