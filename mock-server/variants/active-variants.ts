/** The behaviour and the faults that are on, and the rules that they make of the document's. */

import type { RouteName } from "../base/route-name.ts";
import { DOCUMENT_RULES, type Rules } from "../base/rules.ts";
import { type Active, alwaysOn } from "./fault-conditions.ts";
import { concerns, type Fault, type Variation } from "./variant.ts";

export interface Behaving {
  /** In the order in which they apply: the behaviour, then the faults. */
  readonly variations: readonly Variation[];
  readonly faults: readonly string[];
  readonly rules: Rules;
}

export class Variations {
  readonly behaviour: Variation;
  #faults: readonly Active[] = [];
  readonly #rules = new Map<string, Rules>();

  constructor(behaviour: Variation, faults: readonly Active[]) {
    this.behaviour = behaviour;
    this.#faults = faults;
  }

  /** The faults that are on, as they were asked for. */
  get names(): readonly string[] {
    return this.#faults.map(({ asked }) => asked);
  }

  set(faults: readonly Active[]): void {
    this.#faults = faults;
  }

  /** What applies to one request; this counts the request for faults that hit only some. */
  forRequest(route: RouteName | "none", headers: Readonly<Record<string, unknown>>): Behaving {
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

  #behaving(route: RouteName | "none", faults: readonly Fault[]): Behaving {
    const variations = concerns(this.behaviour, route) ? [this.behaviour, ...faults] : faults;
    const names = variations.map(({ name }) => name);
    const key = names.join(" ");
    const rules =
      this.#rules.get(key) ?? variations.reduce((now, { rules: change }) => change?.(now) ?? now, DOCUMENT_RULES);
    this.#rules.set(key, rules);
    return { variations, faults: faults.map(({ name }) => name), rules };
  }
}
