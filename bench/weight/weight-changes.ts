/** Compares what the program weighs with what is recorded, and says in sentences what changed by more than it may. */

import { z } from "zod";

/** A line of the file of recorded weights. */
const recordedWeight = z.strictObject({
  what: z.string(),
  value: z.number(),
  /** Why it has this value: given when it was last changed. */
  reason: z.string(),
});

export type RecordedWeight = z.infer<typeof recordedWeight>;

/** A measured number. */
export interface Weight {
  /** Such as `flags of assay load`; unique. */
  readonly what: string;
  /** NaN: not measured here. */
  readonly value: number;
  /** The share of the recorded value by which it may differ: 0.02 for 2 %; infinite for one that is only shown. */
  readonly share: number;
}

export interface WeightChange {
  readonly what: string;
  /** Undefined when it was never recorded. */
  readonly recorded: number | undefined;
  /** Undefined when it is recorded but no longer exists. */
  readonly measured: number | undefined;
  readonly share: number;
  /** What is wrong; undefined when the change is within its share. */
  readonly problem: string | undefined;
}

/**
 * Reads recorded weights, one JSON object per line.
 * @throws Error that names the line that is not one
 */
export const readWeights = (text: string): RecordedWeight[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => {
      try {
        return recordedWeight.parse(JSON.parse(line));
      } catch {
        throw new Error(
          `Cannot read the recorded weights: line ${index + 1} is not {"what": …, "value": …, "reason": …}.`,
        );
      }
    });

export const writeWeights = (weights: readonly RecordedWeight[]): string =>
  weights.map((weight) => `${JSON.stringify(weight)}\n`).join("");

/** Each measured number with its recorded value, then what is recorded but no longer measured. */
export function weightChanges(weights: readonly Weight[], records: readonly RecordedWeight[]): WeightChange[] {
  const recordedValues = new Map(records.map(({ what, value }) => [what, value]));
  const names = new Set(weights.map(({ what }) => what));
  const measured = weights.map(({ what, value, share }) => ({
    ...{ what, share, measured: value, recorded: recordedValues.get(what) },
  }));
  const gone = records
    .filter(({ what }) => !names.has(what))
    .map(({ what, value }) => ({ what, share: 0, measured: undefined, recorded: value }));
  return [...measured, ...gone].map((change) => ({ ...change, problem: problemOf(change) }));
}

function problemOf({ what, recorded, measured, share }: Omit<WeightChange, "problem">): string | undefined {
  if (measured === undefined) return `${what}: recorded, but no longer measured`;
  if (Number.isNaN(measured)) return undefined;
  if (recorded === undefined) return `${what}: ${count(measured)}, not recorded yet`;
  if (share === Number.POSITIVE_INFINITY || Math.abs(measured - recorded) <= recorded * share) return undefined;
  const limit = share === 0 ? "no change is allowed" : `${percent(share)} is allowed`;
  const change = recorded === 0 ? "" : `${signedChange(recorded, measured)}, `;
  return `${what} ${measured > recorded ? "grew" : "shrank"} from ${count(recorded)} to ${count(measured)} (${change}${limit})`;
}

/** The weights to record: those with a problem get the measured value and the reason, the others stay as they are. */
export function updatedWeights(
  changes: readonly WeightChange[],
  records: readonly RecordedWeight[],
  reason: string,
): RecordedWeight[] {
  const kept = new Map(records.map((weight) => [weight.what, weight]));
  return changes.flatMap(({ what, measured: value, problem }) => {
    if (value === undefined || (Number.isNaN(value) && !kept.has(what))) return [];
    return [(problem === undefined && kept.get(what)) || { what, value, reason }];
  });
}

const count = (value: number): string =>
  Number.isNaN(value) ? "-" : value.toLocaleString("en", { maximumFractionDigits: 3 });

const percent = (share: number, signDisplay: "auto" | "exceptZero" = "auto"): string =>
  `${(share * 100).toLocaleString("en", { maximumFractionDigits: 1, signDisplay })} %`;

const signedChange = (from: number, to: number): string => percent(to / from - 1, "exceptZero");

/** The table that `npm run weigh` prints: recorded and measured values, marked where a change is not allowed. */
export function weightTable(changes: readonly WeightChange[]): string {
  const rows = [
    ["", "recorded", "measured", "change", "allowed"],
    ...changes.map(({ what, recorded, measured, share, problem }) => [
      `${problem === undefined ? " " : "✗"} ${what}`,
      recorded === undefined ? "-" : count(recorded),
      measured === undefined ? "-" : count(measured),
      recorded && measured && measured !== recorded ? signedChange(recorded, measured) : "",
      share === 0 ? "none" : share === Number.POSITIVE_INFINITY ? "any" : percent(share),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}
