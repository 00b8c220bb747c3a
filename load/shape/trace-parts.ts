/** The rows of a trace by operation, tenant and model, for all that replay a part of it: the rows pass by once. Pure. */

import { type Columns, type ColumnsOfRows, newColumns } from "./trace-columns.ts";
import { BadTrace, type TraceRow } from "./trace-rows.ts";

const CHOICES = ["operation", "tenant", "model"] as const;
type Which = { readonly [Name in (typeof CHOICES)[number]]?: string | undefined };

interface Part {
  readonly columns: ColumnsOfRows;
  /** Those of its rows. */
  readonly operations: Set<string | undefined>;
}

/** Parts that are chosen by the same names, by their values. */
interface Choice {
  readonly names: readonly (typeof CHOICES)[number][];
  readonly parts: Map<string, Part>;
}

/** Takes the rows of a file, one after another, and gives those of each part. */
export interface TraceParts {
  /** @throws BadTrace for a row that cannot be chosen, or does not follow the one before in its part */
  add(row: TraceRow): void;
  /** @throws BadTrace where there is none, or where rows of several operations would be sent as one */
  columnsOf(which: Which): Columns;
}

/** @param all the parts that are asked for */
export function traceParts(all: readonly Which[]): TraceParts {
  const found = Object.fromEntries(CHOICES.map((name) => [name, new Set<string>()]));
  const choices = new Map<string, Choice>();
  for (const which of all) {
    const names = namesIn(which);
    const choice = choices.get(names.join()) ?? { names, parts: new Map() };
    choices.set(names.join(), choice);
    const key = keyOf(names, which);
    if (!choice.parts.has(key)) choice.parts.set(key, { columns: newColumns(), operations: new Set() });
  }
  const isDivided = [...choices.values()].some(({ names }) => names.length > 0);
  const add = (row: TraceRow): void => {
    for (const name of CHOICES) if (row[name] !== undefined) found[name]?.add(row[name]);
    if (isDivided && row.hasText) {
      throw new BadTrace("a part of it cannot be chosen by operation, tenant or model: it has texts");
    }
    for (const { names, parts } of choices.values()) {
      const part = parts.get(keyOf(names, row));
      part?.operations.add(row.operation);
      part?.columns.add(row);
    }
  };
  const columnsOf = (which: Which): Columns => {
    const names = namesIn(which);
    const part = choices.get(names.join())?.parts.get(keyOf(names, which));
    if (part === undefined) throw new Error("Cannot give a part of a trace that was not asked for.");
    checkOperations(part.operations, which, found);
    return part.columns.end();
  };
  return { add, columnsOf };
}

const namesIn = (which: Which): Choice["names"] => CHOICES.filter((name) => which[name] !== undefined);

const keyOf = (names: Choice["names"], of: Which): string => JSON.stringify(names.map((name) => of[name]));

/** @throws BadTrace unless there are rows, of one operation */
function checkOperations(
  sent: ReadonlySet<string | undefined>,
  which: Which,
  found: Readonly<Record<string, ReadonlySet<string>>>,
): void {
  const chosen = namesIn(which);
  const listed = (names: Iterable<string | undefined> = []): string =>
    [...names]
      .map((name) => name ?? "not stated")
      .sort()
      .join(", ") || "none";
  if (sent.size > 1) {
    throw new BadTrace(
      `its requests are of several operations (${listed(sent)}), and one is sent: choose it, such as trace:FILE,operation=${[...(found["operation"] ?? [])][0]}, or send all: --workload trace:FILE`,
    );
  }
  if (sent.size > 0 || chosen.length === 0) return;
  throw new BadTrace(
    `no request is of ${chosen.map((name) => which[name]).join(" and ")}; ${CHOICES.map((name) => `${name}s: ${listed(found[name])}`).join("; ")}`,
  );
}
