/** The newest records of a load that is running: the units of work that ended within some time. Pure. */

import { arrivalLine, kindOfLine, requestRecord } from "../../../formats/records.ts";
import { parseJson } from "../../../lib/json.ts";
import { readInstant } from "../../../settings/instants.ts";

/** The lines of one unit of work so far, as `records.jsonl` has them. */
interface RecentUnit {
  readonly lines: string[];
  /** End of its newest request, in milliseconds since 1970; undefined while it has none. */
  endMs: number | undefined;
  /** Whether its arrival has ended. */
  ended: boolean;
}

export class RecentRecords {
  readonly #keepMs: number;
  /** By arrival; a request that belongs to none is a unit of its own. */
  readonly #units = new Map<string, RecentUnit>();

  /** @param keepMs the longest time that will be asked for */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** Adds a line of `records.jsonl`. What is not of the measured time is left out; so is a damaged line. */
  add(line: string): void {
    const value = parseJson(line);
    const kind = kindOfLine(value);
    if (kind === "request") this.#addRequest(line, value);
    if (kind === "arrival") this.#addArrival(line, value);
  }

  #addRequest(line: string, value: unknown): void {
    const { data: record } = requestRecord.safeParse(value);
    if (record?.phase !== "measure") return;
    const { arrival, id } = record;
    const unit = this.#unit(arrival === undefined ? id : keyOf(arrival));
    const endMs = readInstant(record.sent) + (record.e2e ?? record.ttft ?? record.ttfb ?? 0);
    unit.lines.push(line);
    unit.endMs = Math.max(unit.endMs ?? endMs, endMs);
    unit.ended ||= arrival === undefined;
  }

  #addArrival(line: string, value: unknown): void {
    const { data } = arrivalLine.safeParse(value);
    if (data?.arrival.phase === "measure") this.#unit(keyOf(data.arrival.index)).lines.push(line);
  }

  /** Arrivals have ended, whose lines were added. @param atMs when that was said, in milliseconds since 1970 */
  end(arrivals: readonly number[], atMs: number): void {
    for (const arrival of arrivals) {
      const unit = this.#units.get(keyOf(arrival));
      if (unit === undefined) continue;
      unit.ended = true;
      unit.endMs ??= atMs;
    }
  }

  /** The lines of the units that ended within the last `windowMs`; those that are too old for any question are dropped. */
  endedWithin(windowMs: number, nowMs: number): { readonly lines: readonly string[]; readonly units: number } {
    const lines: string[] = [];
    let units = 0;
    for (const [key, { ended, endMs = Number.NaN, lines: own }] of this.#units) {
      if (ended && endMs < nowMs - this.#keepMs) this.#units.delete(key);
      if (!ended || endMs < nowMs - windowMs || endMs > nowMs) continue;
      lines.push(...own);
      units += 1;
    }
    return { lines, units };
  }

  #unit(key: string): RecentUnit {
    const known = this.#units.get(key);
    if (known !== undefined) return known;
    const unit: RecentUnit = { lines: [], endMs: undefined, ended: false };
    this.#units.set(key, unit);
    return unit;
  }
}

const keyOf = (arrival: number): string => `arrival ${arrival}`;
