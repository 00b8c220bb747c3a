/** How clauses are written: `acceptance`, `refusal`, `observation` and `fieldClauses` on top of `clause`. */

import type { Field } from "../contract/fields.ts";
import { type Clause, type ClauseInput, clause } from "./clause.ts";
import type { Seen } from "./exchange-record.ts";
import { accepted, fieldIs, outcomeOf, refused, valueIs, wasAccepted } from "./judges.ts";
import type { Probe } from "./probe.ts";
import { lastLife } from "./reading.ts";

type Binding = "required" | "recommended";
type Written<L extends Binding | "observed"> = Omit<ClauseInput<L>, "level" | "judge" | "pick" | "accepts"> & {
  readonly level?: L;
};

/** The document allows the request, so it is served. */
export const acceptance = (input: Written<Binding>): Clause =>
  clause<Binding>({ level: "required", ...input, accepts: true, judge: ([exchange]) => accepted(exchange) });

/** The document forbids the request, so it is not served, while its control, one field apart, is. */
export const refusal = (input: Written<Binding> & { readonly control: Probe }): Clause =>
  clause<Binding>({
    level: "required",
    ...input,
    others: [input.control],
    judge: ([exchange], [control = []]) => {
      const basis = input.control.kind === "task" ? lastLife(control)[0] : control[0];
      return wasAccepted(basis)
        ? refused(exchange, basis)
        : { kind: "inconclusive", why: "the control was not accepted" };
    },
  });

/** The document leaves open what happens; it is recorded. */
export const observation = (input: Written<"observed">): Clause =>
  clause({ ...input, level: "observed", judge: outcomeOf });

export interface FieldFamily {
  /** Ids are `<ids>.<path>`; the row of a field is `<rows>.<path>`. */
  readonly ids: string;
  readonly rows: string;
  readonly alsoRows?: readonly string[];
  readonly fields: readonly Field[];
  readonly probe: Probe;
  /** Where the fields stand, in words: `the completion`. */
  readonly within: string;
  /** Faults are `<faults>-<path>-missing`, `-wrong-type` and `-wrong-value`. */
  readonly faults: string;
  readonly needs: readonly string[];
  /** Clause that the items of an array need besides the array itself. */
  readonly itemsNeed?: Readonly<Record<string, string>>;
  /** Faults that break a field besides its own. */
  readonly moreFaults?: Readonly<Record<string, readonly string[]>>;
  readonly pick?: (seen: Seen) => Seen;
  readonly unmet?: string;
}

/** One clause for each field's presence and type, and one for its value where the document names values. */
export const fieldClauses = (family: FieldFamily): readonly Clause[] =>
  family.fields.flatMap((field) => {
    const id = `${family.ids}.${plain(field.path)}`;
    const fault = `${family.faults}-${plain(field.path).replace(/[._]/g, "-")}`;
    const shared = {
      row: [`${family.rows}.${field.path}`, ...(family.alsoRows ?? [])],
      level: "required",
      probe: family.probe,
      ...(family.pick && { pick: family.pick }),
      ...(family.unmet && { unmet: family.unmet }),
    } as const;
    const presence = clause({
      ...shared,
      id,
      text: `${field.path} of ${family.within} is there and of type ${field.type}`,
      needs: [...family.needs, ...parentsOf(field, family)],
      provenBy: [`${fault}-missing`, `${fault}-wrong-type`, ...(family.moreFaults?.[field.path] ?? [])],
      judge: fieldIs(field.path, field.type),
    });
    if (field.values === undefined) return [presence];
    const value = clause({
      ...shared,
      id: `${id}.value`,
      text: `${field.path} of ${family.within} is ${field.values.join(" or ")}`,
      needs: [id],
      provenBy: [`${fault}-wrong-value`],
      judge: valueIs(field.path, field.values),
    });
    return [presence, value];
  });

const plain = (path: string): string => path.replaceAll("[]", "");

/** The field that holds this one, and what its items need. */
function parentsOf({ path }: Field, { ids, itemsNeed, fields }: FieldFamily): readonly string[] {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  if (parent === "") return [];
  const array = parent.endsWith("[]") ? itemsNeed?.[parent] : undefined;
  const known = fields.some((field) => field.path === plain(parent) || field.path === parent);
  return [...(known ? [`${ids}.${plain(parent)}`] : []), ...(array === undefined ? [] : [array])];
}
