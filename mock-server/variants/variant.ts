/** The shape of a fault and of a behaviour: what a request's rules, answer or stream become. */

import type { Json } from "../../lib/json.ts";
import type { Answer, Outcome, WholeScript } from "../base/mock-response.ts";
import type { RouteName } from "../base/route-name.ts";
import type { Rules } from "../base/rules.ts";

/** What a damage may look at: the request, and when the answer was due. */
export interface Seen {
  readonly route: RouteName | "none";
  readonly body: Json;
  readonly itlMs: number;
}

export interface Variation {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  /** The routes that it concerns; every one, known or not, when absent. */
  readonly route?: RouteName | readonly RouteName[];
  /** Reads the path of a request as another; of behaviours only. */
  readonly path?: (path: string) => string;
  /** Replaces members of the rules. */
  readonly rules?: (rules: Rules) => Rules;
  /** Replaces an answer that is no stream, of any status. */
  readonly damage?: (answer: Answer, seen: Seen) => Outcome;
  /** Replaces a streamed answer. */
  readonly stream?: (script: WholeScript, seen: Seen) => Outcome;
}

export interface Fault extends Variation {
  /** Clauses of the conformance suite that must not pass; empty for what only a load client has to stand. */
  readonly breaks: readonly string[];
}

/** Declares a fault. */
export const fault = (definition: Fault): Fault => definition;

/** Declares a behaviour: a choice that the document permits, so no clause may fail on it. */
export const behaviour = (definition: Variation): Variation => definition;

/** Whether a variation concerns a route. */
export function concerns({ route }: Variation, seen: RouteName | "none"): boolean {
  if (route === undefined) return true;
  return typeof route === "string" ? route === seen : route.some((one) => one === seen);
}

/** Applies `change` to successful answers only, so that a refusal keeps its form. */
export const whenAccepted =
  (change: (answer: Answer, seen: Seen) => Answer) =>
  (given: Answer, seen: Seen): Answer =>
    given.status < 300 ? change(given, seen) : given;
