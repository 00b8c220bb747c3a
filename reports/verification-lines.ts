/** Whether a published result follows from its evidence, for a terminal. */

import pc from "picocolors";
import { plainLine } from "../lib/text.ts";
import { formatNumber, plural } from "./numbers.ts";
import type { TerminalOptions } from "./terminal-text.ts";
import type { Verification } from "./verification.ts";

/** Most differences that are listed. */
const MOST_LISTED = 50;

/** What is verified: the name of its file, and what that holds. */
export const VERIFIED = {
  conformance: { file: "conformance.json", noun: "verdict" },
  load: { file: "run.json", noun: "value" },
} as const;

/** A verification as lines of text, ending with a line end. */
export function verificationLines(
  { file, noun }: (typeof VERIFIED)[keyof typeof VERIFIED],
  { differences, reproduced, standing, hashed }: Verification,
  { colour }: TerminalOptions,
): string {
  const c = pc.createColors(colour);
  const made = `${plural(reproduced, noun)} of ${file}`;
  const stand = [
    ...(standing === 0 ? [] : [`; ${formatNumber(standing)} could not be made again`]),
    ...(hashed ? [] : ["; it names no hash of its evidence"]),
  ].join("");
  if (differences.length === 0) {
    return `${c.green(c.bold("REPRODUCED"))}  ${made} follow${reproduced === 1 ? "s" : ""} from the evidence${stand}\n`;
  }
  const more = differences.length - MOST_LISTED;
  return [
    `${c.red(c.bold("NOT REPRODUCED"))}  ${plural(differences.length, "difference")} between ${file} and its evidence; ${made} agree${stand}`,
    ...differences.slice(0, MOST_LISTED).map((sentence) => `  ${plainLine(sentence)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    "",
  ].join("\n");
}
