/** The behaviour and the faults that are on, and the rules that they make of the document's. */

import type { RouteName } from "../base/route-name.ts";
import { type Rules, SPECIFICATION_RULES } from "../base/rules.ts";
import { type ActiveFault, alwaysOn } from "./fault-conditions.ts";
import { concerns, type Fault, type Variant } from "./variant.ts";

export interface AppliedVariants {
  /** In the order in which they apply: the behaviour, then the faults. */
  readonly variants: readonly Variant[];
  readonly faults: readonly string[];
  readonly rules: Rules;
}

export class ActiveVariants {
  readonly behaviour: Variant;
  #faults: readonly ActiveFault[] = [];
  readonly #rules = new Map<string, Rules>();

  constructor(behaviour: Variant, faults: readonly ActiveFault[]) {
    this.behaviour = behaviour;
    this.#faults = faults;
  }

  /** The faults that are on, as they were asked for. */
  get names(): readonly string[] {
    return this.#faults.map(({ asked }) => asked);
  }

  set(faults: readonly ActiveFault[]): void {
    this.#faults = faults;
  }

  /** What applies to one request; this counts the request for faults that hit only some. */
  forRequest(route: RouteName | "none", headers: Readonly<Record<string, unknown>>): AppliedVariants {
    const hit = this.#faults.filter(({ fault, hits }) => concerns(fault, route) && hits(headers));
    return this.#behaving(
      route,
      hit.map(({ fault }) => fault),
    );
  }

  /** The rules that hold for a route, faults that hit only some requests left out. */
  standingRules(route: RouteName): Rules {
    const standing = this.#faults.filter((active) => alwaysOn(active) && concerns(active.fault, route));
    return this.#behaving(
      route,
      standing.map(({ fault }) => fault),
    ).rules;
  }

  #behaving(route: RouteName | "none", faults: readonly Fault[]): AppliedVariants {
    const variants = concerns(this.behaviour, route) ? [this.behaviour, ...faults] : faults;
    const names = variants.map(({ name }) => name);
    const key = names.join(" ");
    const rules =
      this.#rules.get(key) ?? variants.reduce((now, { rules: change }) => change?.(now) ?? now, SPECIFICATION_RULES);
    this.#rules.set(key, rules);
    return { variants, faults: faults.map(({ name }) => name), rules };
  }
}
