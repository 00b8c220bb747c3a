/**
 * Histogram files read into bins: a line per length or range of lengths, with its weight. Pure: the command line checks a file with
 * the same parser that reads it inside k6.
 */

import { MOST_TOKENS } from "../../settings/load/drawn-values.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { Bin } from "./sample-length.ts";

/** Every virtual user holds the bins. */
const MOST_BINS = 10_000;

/**
 * Reads lines such as `128,40` or `129..256,25`: a number of tokens, or a range of them, and a weight. Blank lines, lines that
 * begin with `#` and a first line without numbers are skipped.
 * @param fileName names the file in errors
 * @throws UsageError that names the first bad line, or says that there is no weight
 */
export function parseHistogram(text: string, fileName: string): readonly Bin[] {
  const wrong = (reason: string): UsageError =>
    new UsageError(
      `Cannot read a histogram of lengths from ${fileName}: ${reason}. Each line holds a number of tokens, or a range such as 129..256, and its weight, such as 128,40.`,
    );
  const rows: { readonly from: number; readonly to: number; readonly weight: number }[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#.*)?$/.test(line) || (index === 0 && !/\d/.test(line))) continue;
    const [, first, second = first, weight] =
      /^\s*(\d+)(?:\s*\.\.\s*(\d+))?\s*[,;\s]\s*(\d+(?:\.\d+)?)\s*$/.exec(line) ?? [];
    const [from, to] = [Number(first), Number(second)];
    if (first === undefined) throw wrong(`line ${index + 1} is not a length and its weight`);
    if (from < 1 || to < from || to > MOST_TOKENS)
      throw wrong(`line ${index + 1} has no length from 1 to ${MOST_TOKENS}`);
    if (Number(weight) > 0) rows.push({ from, to, weight: Number(weight) });
    if (rows.length > MOST_BINS) throw wrong(`it has more than ${MOST_BINS} lines`);
  }
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0 && Number.isFinite(total))) throw wrong("it has no weight above zero");
  let sum = 0;
  return rows.map(({ from, to, weight }, index) => {
    sum += weight;
    return { from, to, until: index === rows.length - 1 ? 1 : sum / total };
  });
}
