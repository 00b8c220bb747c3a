/** The shape of a fault and of a behaviour: what a request's rules, answer or stream become. */

import type { Json } from "../../lib/json.ts";
import type { MockResponse, PlainResponse, WholeStream } from "../base/mock-response.ts";
import type { RouteName } from "../base/route-name.ts";
import type { Rules } from "../base/rules.ts";

/** What a damage may look at: the request, and when the answer was due. */
export interface RequestView {
  readonly route: RouteName | "none";
  readonly body: Json;
  readonly itlMs: number;
}

export interface Variant {
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
  readonly transform?: (response: PlainResponse, request: RequestView) => MockResponse;
  /** Replaces a streamed answer. */
  readonly transformStream?: (stream: WholeStream, request: RequestView) => MockResponse;
}

export interface Fault extends Variant {
  /** Clauses of the conformance suite that must not pass; empty for what only a load client has to stand. */
  readonly breaks: readonly string[];
}

/** Declares a fault. */
export const fault = (definition: Fault): Fault => definition;

/** Declares a behaviour: a choice that the document permits, so no clause may fail on it. */
export const behaviour = (definition: Variant): Variant => definition;

/** Whether a variation concerns a route. */
export function concerns({ route }: Variant, request: RouteName | "none"): boolean {
  if (route === undefined) return true;
  return typeof route === "string" ? route === request : route.some((one) => one === request);
}

/** Applies `change` to successful answers only, so that a refusal keeps its form. */
export const whenAccepted =
  (change: (response: PlainResponse, request: RequestView) => PlainResponse) =>
  (given: PlainResponse, request: RequestView): PlainResponse =>
    given.status < 300 ? change(given, request) : given;
