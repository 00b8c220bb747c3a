/** Readers of the settings that are more than a number: addresses, arrival processes, lists. Pure. */

import { API_PREFIX } from "../contract/service.ts";
import { parseCount } from "./units.ts";
import { UsageError } from "./usage-error.ts";

/** Reads the base address of the service; a trailing slash and a trailing `/v1` are dropped. */
export function parseBaseUrl(text: string): string {
  const address = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i.exec(text.trim())?.[0];
  if (address === undefined) {
    throw new UsageError(
      `"${text}" is not an address; write one such as http://127.0.0.1:8080 (no user, query or fragment)`,
    );
  }
  return dropPrefix(address.replace(/\/+$/, ""));
}

const dropPrefix = (address: string): string =>
  address.endsWith(API_PREFIX) ? address.slice(0, -API_PREFIX.length).replace(/\/+$/, "") : address;

/** Says whether `parseBaseUrl` dropped a trailing `/v1`, so that the user can be told. */
export const endsWithPrefix = (text: string): boolean => new RegExp(`${API_PREFIX}/*$`).test(text.trim());

export interface Arrival {
  readonly process: "constant" | "poisson" | "gamma";
  /** Coefficient of variation of the gamma process. */
  readonly cv?: number;
}

/** Reads `constant`, `poisson` or `gamma:CV`. */
export function parseArrival(text: string): Arrival {
  if (text === "constant" || text === "poisson") return { process: text };
  const cv = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (cv > 0) return { process: "gamma", cv };
  throw new UsageError(`"${text}" is not an arrival process; write constant, poisson or gamma:CV such as gamma:2`);
}

/** Reads `1,8,32`. */
export function parseSizes(text: string): readonly number[] {
  return text.split(",").map((size) => parseCount(size));
}

export const SCENARIO_PARTS = ["chat-stream", "chat", "embeddings", "video"] as const;
export type ScenarioPart = (typeof SCENARIO_PARTS)[number];
export type Mix = readonly { readonly part: ScenarioPart; readonly weight: number }[];

/** Reads `chat-stream=6,embeddings=1` into the parts of the mixed scenario and their weights. */
export function parseMix(text: string): Mix {
  return text.split(",").map((entry) => {
    const [name = "", weight = ""] = entry.split("=");
    const part = SCENARIO_PARTS.find((candidate) => candidate === name.trim());
    if (part === undefined) throw new UsageError(`"${name}" is not one of ${SCENARIO_PARTS.join(", ")}`);
    return { part, weight: parseCount(weight) };
  });
}

export interface HeaderSource {
  readonly name: string;
  /** Environment variable that holds the value. */
  readonly variable: string;
}

/** Reads `x-team=TEAM_TOKEN`, several joined by commas. */
export function parseHeaders(text: string): readonly HeaderSource[] {
  return text.split(",").map((entry) => {
    const [, name, variable] = /^\s*([!#$%&'*+.^_`|~\w-]+)=([A-Za-z_]\w*)\s*$/.exec(entry) ?? [];
    if (name === undefined || variable === undefined) {
      throw new UsageError(`"${entry}" is not NAME=ENVVAR; the value is taken from the environment variable`);
    }
    return { name, variable };
  });
}
