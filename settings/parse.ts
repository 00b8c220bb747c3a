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

/** How the arrivals of an open loop follow each other. */
export type Arrival =
  | { readonly process: "constant" | "poisson" }
  /** `cv` is the coefficient of variation of the gaps. */
  | { readonly process: "gamma"; readonly cv: number }
  | { readonly process: "trace"; readonly file: string };

/** Reads `constant`, `poisson`, `gamma:CV` or `trace:FILE`. */
export function parseArrival(text: string): Arrival {
  if (text === "constant" || text === "poisson") return { process: text };
  const cv = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (cv > 0) return { process: "gamma", cv };
  const file = /^trace:(.+)$/.exec(text)?.[1];
  if (file !== undefined) return { process: "trace", file };
  throw new UsageError(
    `"${text}" is not an arrival process; write constant, poisson, gamma:CV such as gamma:2, or trace:FILE`,
  );
}

/** Writes an arrival process the way `parseArrival` reads it. */
export function formatArrival(arrival: Arrival): string {
  if (arrival.process === "gamma") return `gamma:${arrival.cv}`;
  return arrival.process === "trace" ? `trace:${arrival.file}` : arrival.process;
}

/** Reads `2`, `0.5`: how many times as fast. */
export function parseFactor(text: string): number {
  const factor = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
  if (!(factor > 0)) throw new UsageError(`"${text}" is not a number above zero; write one such as 2 or 0.5`);
  return factor;
}

/** One of several equal parts of a run, numbered from 1. */
export interface Segment {
  readonly part: number;
  readonly of: number;
}

/** Reads `2/4`. */
export function parseSegment(text: string): Segment {
  const [part = 0, of = 0] = (/^\s*(\d+)\s*\/\s*(\d+)\s*$/.exec(text) ?? []).slice(1).map(Number);
  if (part >= 1 && part <= of && Number.isSafeInteger(of)) return { part, of };
  throw new UsageError(`"${text}" is not a part of a run; write the second of four as 2/4`);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Reads `2026-11-21T18:00:00Z` into milliseconds since 1970; the zone must be said. */
export function parseInstant(text: string): number {
  const at = INSTANT.test(text.trim()) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(`"${text}" is not an instant with its zone; write one such as 2026-11-21T18:00:00Z`);
  }
  return at;
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
