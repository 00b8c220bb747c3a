/** The permitted variant and the faults that are on, and the rules that result. */

import { isDeepStrictEqual } from "node:util";
import { isStreamed, type MockResponse, withAllFrames } from "../base/mock-response.ts";
import type { RouteName } from "../base/route-name.ts";
import { changeFields, type Rules, SPECIFICATION_RULES } from "../base/rules.ts";
import { type ActiveFault, alwaysOn } from "./fault-conditions.ts";
import {
  appliesTo,
  type IncomingRequest,
  type Permitted,
  type RequestView,
  type RuleChanges,
  type Variant,
} from "./variant.ts";

/** What applies to one request. */
export interface AppliedVariants {
  readonly rules: Rules;
  /** Transforms the response by the rules, and says which faults apply to it. */
  readonly change: (
    response: MockResponse,
    view: RequestView,
  ) => { readonly response: MockResponse; readonly faults: readonly string[] };
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

  /** The path that a request is served as. */
  readonly readPath = (path: string): string =>
    [this.behaviour, ...this.#faults.filter(alwaysOn).map(({ fault }) => fault)].reduce(
      (now, variant) => variant.path?.(now) ?? now,
      path,
    );

  /** What applies to one request; counts the request for faults that apply to some only, where they would show in it. */
  forRequest(route: RouteName | "none", request: IncomingRequest): AppliedVariants {
    const { headers } = request;
    const here = this.#faults.filter(({ fault }) => appliesTo(fault, route));
    const early = here.filter((active) => isDecidedEarly(active) && concerns(active, request) && active.hits(headers));
    const permitted = appliesTo(this.behaviour, route) ? [this.behaviour] : [];
    return {
      rules: this.#rulesOf([...permitted, ...early.map(({ fault }) => fault)]),
      change: (response, view) => {
        const faultless = permitted.reduce((now, variant) => transformed(now, variant, view), response);
        const hit = here.filter((active) =>
          isDecidedEarly(active)
            ? early.includes(active)
            : showsIn(faultless, active.fault, view) && active.hits(headers),
        );
        return {
          response: hit.reduce((now, { fault }) => transformed(now, fault, view), faultless),
          faults: hit.map(({ fault }) => fault.name),
        };
      },
    };
  }

  /** The rules of a route, without faults that apply to some requests only. */
  standingRules(route: RouteName): Rules {
    const faults = this.#faults.filter((active) => alwaysOn(active) && appliesTo(active.fault, route));
    const permitted = appliesTo(this.behaviour, route) ? [this.behaviour] : [];
    return this.#rulesOf([...permitted, ...faults.map(({ fault }) => fault)]);
  }

  #rulesOf(variants: readonly Variant[]): Rules {
    const key = variants.map(({ name }) => name).join(" ");
    const rules =
      this.#rules.get(key) ?? variants.reduce((now, variant) => changedBy(now, variant.rules), SPECIFICATION_RULES);
    this.#rules.set(key, rules);
    return rules;
  }
}

/** Whether a fault applies is known before the response: it always does, or it changes the rules that make the response. */
const isDecidedEarly = (active: ActiveFault): boolean => alwaysOn(active) || active.fault.rules !== undefined;

const concerns = (active: ActiveFault, request: IncomingRequest): boolean =>
  alwaysOn(active) || (active.fault.concerns?.(request) ?? true);

function transformed(response: MockResponse, { transform, transformStream }: Variant, view: RequestView): MockResponse {
  const given = isStreamed(response) ? transformStream?.(withAllFrames(response), view) : transform?.(response, view);
  return given ?? response;
}

/** Whether a fault changes a response. */
function showsIn(response: MockResponse, fault: Variant, view: RequestView): boolean {
  const before = isStreamed(response) ? withAllFrames(response) : response;
  return !isDeepStrictEqual(transformed(before, fault, view), before);
}

const changedBy = (rules: Rules, { fields, tasks, ...changes }: RuleChanges = {}): Rules =>
  changeFields({ ...rules, ...changes, tasks: { ...rules.tasks, ...tasks } }, fields ?? {});
