/** The permitted variant and the faults that are on, and the rules that result. */

import type { RouteName } from "../base/route-name.ts";
import { changeFields, type Rules, SPECIFICATION_RULES } from "../base/rules.ts";
import { type ActiveFault, alwaysOn } from "./fault-conditions.ts";
import { appliesTo, type Fault, type Permitted, type RuleChanges, type Variant } from "./variant.ts";

export interface AppliedVariants {
  /** In the order in which they apply: the permitted variant, then the faults. */
  readonly variants: readonly Variant[];
  readonly faults: readonly string[];
  readonly rules: Rules;
}

export class ActiveVariants {
  readonly behaviour: Permitted;
  #faults: readonly ActiveFault[] = [];
  /** Rules by the names of the variants that make them: schemas are built once per rules. */
  readonly #rules = new Map<string, Rules>();

  constructor(behaviour: Permitted, faults: readonly ActiveFault[]) {
    this.behaviour = behaviour;
    this.#faults = faults;
  }

  /** The faults that are on, with their conditions, as the user wrote them. */
  get names(): readonly string[] {
    return this.#faults.map(({ text }) => text);
  }

  set(faults: readonly ActiveFault[]): void {
    this.#faults = faults;
  }

  /** What applies to one request; counts the request for faults that apply to some only. */
  forRequest(route: RouteName | "none", headers: Readonly<Record<string, unknown>>): AppliedVariants {
    return this.#applied(
      route,
      this.#faults.filter(({ fault, hits }) => appliesTo(fault, route) && hits(headers)),
    );
  }

  /** The rules of a route, without faults that apply to some requests only. */
  standingRules(route: RouteName): Rules {
    return this.#applied(
      route,
      this.#faults.filter((active) => alwaysOn(active) && appliesTo(active.fault, route)),
    ).rules;
  }

  #applied(route: RouteName | "none", active: readonly ActiveFault[]): AppliedVariants {
    const faults: readonly Fault[] = active.map(({ fault }) => fault);
    const variants = appliesTo(this.behaviour, route) ? [this.behaviour, ...faults] : faults;
    const key = variants.map(({ name }) => name).join(" ");
    const rules =
      this.#rules.get(key) ?? variants.reduce((now, variant) => changedBy(now, variant.rules), SPECIFICATION_RULES);
    this.#rules.set(key, rules);
    return { variants, faults: faults.map(({ name }) => name), rules };
  }
}

const changedBy = (rules: Rules, { fields, tasks, ...changes }: RuleChanges = {}): Rules =>
  changeFields({ ...rules, ...changes, tasks: { ...rules.tasks, ...tasks } }, fields ?? {});
