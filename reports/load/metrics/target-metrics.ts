/** From the lines of `scrapes.jsonl` to what a report shows of the target's own metrics. Pure. */

import type { TargetMetrics } from "../../../formats/run.ts";
import { type ScrapeLine, type ScrapesHeader, scrapeLine, scrapesHeader } from "../../../formats/scrapes.ts";
import { parseJson } from "../../../lib/json.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { readInstant } from "../../../settings/instants.ts";
import type { Lines } from "../../json-lines.ts";
import { namesBefore, ROLE_NAMES, ROLES, type Role, roleOf } from "./known-series.ts";

/** Points of a series at most; neighbours are joined to the largest of them. */
const MOST_POINTS = 240;
/** Other series of one source at most. */
const MOST_OTHERS = 24;

type Point = readonly [t: number, value: number];

/** The requests that a source was busy with at an instant, in milliseconds since 1970. */
export interface BusyReading {
  readonly source: string;
  readonly at: number;
  readonly requests: number;
}

/**
 * Summarizes the readings of each source.
 * @param files the lines of each shard's file; none where nothing was read
 * @param origin the first instant of the run, in milliseconds since 1970
 * @param busy is told of each reading how many requests the source was busy with, running or waiting
 * @returns undefined when no source was read
 */
export async function targetMetricsOf(
  files: readonly Lines[],
  origin: number,
  busy: (reading: BusyReading) => void = () => {},
): Promise<TargetMetrics | undefined> {
  const sources = new Map<string, Source>();
  for (const file of files) {
    for await (const line of file) {
      if (typeof line !== "string") continue;
      const parsed = parseJson(line);
      const header = scrapesHeader.safeParse(parsed);
      if (header.success) begin(sources, header.data);
      const reading = scrapeLine.safeParse(parsed);
      if (reading.success) sources.get(reading.data.source)?.add(reading.data, origin, busy);
    }
  }
  return sources.size === 0 ? undefined : [...sources.values()].map((source) => source.summary());
}

function begin(sources: Map<string, Source>, header: ScrapesHeader): void {
  for (const { name, url } of header.sources) if (!sources.has(name)) sources.set(name, new Source(name, url));
}

class Source {
  readonly #name: string;
  readonly #url: string;
  #readings = 0;
  #failures = 0;
  #reason: string | undefined;
  #dropped = 0;
  readonly #roles = new Map<Role, Point[]>();
  readonly #others = new Map<string, Point[]>();

  constructor(name: string, url: string) {
    this.#name = name;
    this.#url = url;
  }

  add(
    { at, tookMs, values, error, dropped = 0 }: ScrapeLine,
    origin: number,
    busy: (reading: BusyReading) => void,
  ): void {
    this.#readings += 1;
    let left = dropped;
    if (values === undefined) {
      this.#failures += 1;
      this.#reason ??= error;
      return;
    }
    const t = Math.round(readInstant(at) - origin) / 1_000;
    if (!Number.isFinite(t)) return;
    const known = new Set(Object.keys(values).map(nameOf));
    const byRole = new Map<Role, number[]>();
    for (const [series, value] of Object.entries(values)) {
      const name = nameOf(series);
      const role = roleOf(name);
      if (role === undefined) left += this.#keepsOther(series, [t, value]) ? 0 : 1;
      else if (!namesBefore(name).some((earlier) => known.has(earlier))) {
        byRole.set(role, [...(byRole.get(role) ?? []), value]);
      }
    }
    this.#dropped = Math.max(this.#dropped, left);
    for (const [role, all] of byRole) {
      const value = combined(role, all);
      if (Number.isFinite(value)) push(this.#roles, role, [t, value]);
    }
    const running = byRole.get("running");
    // The response was made between the request for it and its end.
    if (running !== undefined)
      busy({
        source: this.#name,
        at: readInstant(at) - tookMs / 2,
        requests: combined("running", running) + combined("queue", byRole.get("queue") ?? []),
      });
  }

  /** Whether the point is kept: of the first series. */
  #keepsOther(series: string, point: Point): boolean {
    const isKept = this.#others.has(series) || this.#others.size < MOST_OTHERS;
    if (isKept) push(this.#others, series, point);
    return isKept;
  }

  summary(): TargetMetrics[number] {
    const roles = ROLE_NAMES.flatMap((role) => {
      const points = this.#roles.get(role);
      return points === undefined ? [] : [{ name: role, role, ...figuresOf(points) }];
    });
    const others = [...this.#others].map(([name, points]) => ({ name, ...figuresOf(points) }));
    return omitUndefined<TargetMetrics[number]>({
      source: this.#name,
      url: this.#url,
      readings: this.#readings,
      failures: this.#failures,
      reason: this.#reason,
      dropped: this.#dropped > 0 ? this.#dropped : undefined,
      series: [...roles, ...others],
    });
  }
}

const nameOf = (series: string): string => series.split("{", 1)[0] ?? series;

const combined = (role: Role, values: readonly number[]): number =>
  ROLES[role].combine === "sum" ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);

function push<K>(map: Map<K, Point[]>, key: K, point: Point): void {
  const points = map.get(key) ?? [];
  map.set(key, points);
  points.push(point);
}

function figuresOf(given: readonly Point[]) {
  const points = [...given].sort(([a], [b]) => a - b);
  const values = points.map(([, value]) => value);
  const largest = points.reduce((best, point) => (point[1] > best[1] ? point : best));
  return {
    count: points.length,
    // Divided first: the sum of what a target tells may be larger than any number.
    mean: values.reduce((mean, value) => mean + value / values.length, 0),
    max: largest[1],
    maxAtS: largest[0],
    points: joined(points),
  };
}

/** Neighbouring points as the largest of them, so that no peak is lost. */
function joined(points: readonly Point[]): [number, number][] {
  const each = Math.max(1, Math.ceil(points.length / MOST_POINTS));
  return Array.from({ length: Math.ceil(points.length / each) }, (_, index) => {
    const [t, value] = points
      .slice(index * each, (index + 1) * each)
      .reduce((best, point) => (point[1] > best[1] ? point : best));
    return [t, value];
  });
}
