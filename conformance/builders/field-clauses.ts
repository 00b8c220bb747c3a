/** One clause for each field of a response, made from the contract's table of fields. */

import type { Field } from "../../contract/fields.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchanges } from "../../formats/exchanges.ts";
import { isObject } from "../../lib/json.ts";
import { accepted, isEmptyList, type Judged } from "../judges/acceptance.ts";
import { fieldIs, valueIs } from "../judges/field-checks.ts";
import { documentOf } from "../judges/json-path.ts";
import { isSuccess } from "../judges/status.ts";
import type { Clause, ExchangeKind } from "../model/clause.ts";
import { elsewhere } from "../model/findings.ts";
import type { Probe } from "../model/probe.ts";
import { clause, ownExchanges } from "./clause-builders.ts";

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
  /** The clauses that say why no response holds the fields. */
  readonly undecidedBy?: readonly string[];
  /** Clause that the items of an array need in addition to the array itself. */
  readonly itemsNeed?: Readonly<Record<string, string>>;
  /** The field without which the response is not recognised, so that the clause of its presence needs nothing. */
  readonly own?: string;
  /** By path, the clause that says more exactly what is wrong. */
  readonly explainedBy?: Readonly<Record<string, readonly string[]>>;
  /** Faults that break the value of a field in addition to its own. */
  readonly moreValueFaults?: Readonly<Record<string, readonly string[]>>;
  readonly pick?: (exchanges: Exchanges) => Exchanges;
  readonly unmet?: string;
  /** The responses that hold the fields. */
  readonly over: ExchangeKind;
  /** Fields that only some of these responses hold in this form. */
  readonly overFewer?: Readonly<Record<string, ExchangeKind>>;
}

/** One clause for each field's presence and type, and one for its value where the specification names values. */
export const fieldClauses = (family: FieldFamily): readonly Clause[] =>
  family.fields.flatMap((field) => {
    const id = `${family.ids}.${plain(field.path)}`;
    const fault = `${family.faults}-${plain(field.path).replace(/[._]/g, "-")}`;
    const shared = {
      row: [`${family.rows}.${field.path}`, ...(family.alsoRows ?? [])],
      level: "required",
      probe: family.probe,
      over: family.overFewer?.[field.path] ?? family.over,
      ...(family.pick && { pick: family.pick }),
      ...(family.unmet && { unmet: family.unmet }),
      ...(family.undecidedBy && { undecidedBy: family.undecidedBy }),
    } as const;
    const presence = clause(id, `${field.path} of ${family.within} is there and of type ${field.type}`, {
      ...shared,
      explainedBy: family.explainedBy?.[field.path] ?? [],
      ...(field.path === family.own
        ? {
            needs: [],
            undecidedBy: family.needs,
            pick: servedBy(family.probe),
            unmet: "the request was not served with a JSON object",
          }
        : { needs: [...family.needs, ...parentsOf(field, family)] }),
      provenBy: [`${fault}-missing`, `${fault}-wrong-type`],
      judge: field.path === family.own ? ifRecognised(field) : fieldIs(field.path, field.type),
    });
    if (field.values === undefined) return [presence];
    const value = clause(`${id}.value`, `${field.path} of ${family.within} is ${field.values.join(" or ")}`, {
      ...shared,
      needs: [id],
      provenBy: [`${fault}-wrong-value`, ...(family.moreValueFaults?.[field.path] ?? [])],
      judge: valueIs(field.path, field.values),
    });
    return [presence, value];
  });

/** The JSON objects among the successful ones of the exchanges that a clause of this probe is about. */
const servedBy =
  (probe: Probe) =>
  (exchanges: Exchanges): Exchanges =>
    ownExchanges(probe)(exchanges).filter((exchange) => isSuccess(exchange) && isObject(documentOf(exchange)));

/**
 * A field that is as it should be says nothing in a response that is something else, and one that no JSON object holds is
 * not what is wrong with the response; what an empty list lacks, other clauses say.
 */
const ifRecognised =
  ({ path, type }: Field) =>
  (exchanges: Exchanges): Judged => {
    if (!exchanges.every((exchange) => isObject(documentOf(exchange))))
      return elsewhere("the response was not a JSON object");
    const found = fieldIs(path, type)(exchanges);
    const other = exchanges.map(accepted).find(({ kind }) => kind !== "holds");
    const isEmpty = exchanges.some((exchange) =>
      valuesAt(documentOf(exchange), path).some(({ value }) => isEmptyList(value)),
    );
    return found.kind !== "holds" || other?.kind !== "broken" || isEmpty ? found : elsewhere(other.observed);
  };

const plain = (path: string): string => path.replaceAll("[]", "");

/** The field that holds this one, and what its items need. */
function parentsOf({ path }: Field, { ids, itemsNeed, fields }: FieldFamily): readonly string[] {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  if (parent === "") return [];
  const array = parent.endsWith("[]") ? itemsNeed?.[parent] : undefined;
  const known = fields.some((field) => field.path === plain(parent) || field.path === parent);
  return [...(known ? [`${ids}.${plain(parent)}`] : []), ...(array === undefined ? [] : [array])];
}
