/** What a variant of the mock is: a fault breaks the specification, a permitted variant chooses where it leaves a choice. */

import type { Json } from "../../lib/json.ts";
import type { MockResponse, PlainResponse, WholeStream } from "../base/mock-response.ts";
import type { RouteName } from "../base/route-name.ts";
import type { FieldChanges, Rules } from "../base/rules.ts";

/** What a transform may read of the request, and the time between tokens of its response. */
export interface RequestView {
  readonly route: RouteName | "none";
  readonly body: Json;
  readonly itlMs: number;
}

/** Replacements of single rules; in `fields` and `tasks`, of single members. */
export interface RuleChanges extends Partial<Omit<Rules, "fields" | "tasks">> {
  readonly fields?: FieldChanges;
  readonly tasks?: Partial<Rules["tasks"]>;
}

/** A request before it is answered. */
export interface IncomingRequest {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Json;
}

/** What both kinds have in common. */
export interface Deviation {
  readonly name: string;
  /** One line for users. */
  readonly about: string;
  /** The routes that it applies to; when absent, every request, also of an unknown path. */
  readonly route?: RouteName | readonly RouteName[];
  readonly rules?: RuleChanges;
  /** Reads the path of a request as another one; of a fault, without conditions only. */
  readonly path?: (path: string) => string;
  /** The requests in whose responses the other rules show, which a condition such as every:5 counts; when absent, all. */
  readonly concerns?: (request: IncomingRequest) => boolean;
  /** Replaces a response that is not a stream, of any status. */
  readonly transform?: (response: PlainResponse, request: RequestView) => MockResponse;
  /** Replaces a stream. */
  readonly transformStream?: (stream: WholeStream, request: RequestView) => MockResponse;
}

/** Turned on by `--fault NAME`, with others. */
export interface Fault extends Deviation {
  readonly kind: "fault";
}

/** Turned on by `--behaviour NAME`, one at a time. */
export interface Permitted extends Deviation {
  readonly kind: "permitted";
  /** The name by which `--fault` turns it on, with a condition or with faults. */
  readonly faultName?: string;
}

export type Variant = Fault | Permitted;

/** The routes of a row: of `any`, every request, also of an unknown path. */
type Routes = RouteName | readonly RouteName[] | "any";

const row = (name: string, route: Routes, about: string) => ({ name, about, ...(route !== "any" && { route }) });

/** A row of a fault: its name, what it applies to, what it does in one line for users, and how. */
export const fault = (
  name: string,
  route: Routes,
  about: string,
  does: Omit<Fault, "name" | "kind" | "about" | "route">,
): Fault => ({ ...row(name, route, about), kind: "fault", ...does });

/** The same of a permitted variant. */
export const permitted = (
  name: string,
  route: Routes,
  about: string,
  does: Omit<Permitted, "name" | "kind" | "about" | "route"> = {},
): Permitted => ({ ...row(name, route, about), kind: "permitted", ...does });

/** Whether a variant applies to a route. */
export const appliesTo = ({ route }: Deviation, given: RouteName | "none"): boolean =>
  route === undefined || [route].flat().some((one) => one === given);
