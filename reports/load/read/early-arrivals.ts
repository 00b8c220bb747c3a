/** A part of the measured time that is read as warm-up: the arrivals that were due in it, with all of their requests. */

import type { ClientLine } from "../../../formats/client.ts";
import type { ArrivalLine, RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";

/** The arrivals of one load generator; its lines are given in the order of the file, in which an arrival's first request comes first. */
export class EarlyArrivals {
  readonly #before: number;
  readonly #started = new Set<number>();
  #neverStarted = 0;

  /** @param before milliseconds since 1970; absent: no arrival is early */
  constructor(before = Number.NEGATIVE_INFINITY) {
    this.#before = before;
  }

  request(record: RequestRecord): RequestRecord {
    const { arrival, phase, scheduled } = record;
    if (phase !== "measure") return record;
    const isEarly = this.#isEarly(scheduled);
    if (isEarly && arrival !== undefined) this.#started.add(arrival);
    return isEarly || (arrival !== undefined && this.#started.has(arrival)) ? { ...record, phase: "warmup" } : record;
  }

  arrival(line: ArrivalLine): ArrivalLine {
    if (line.phase !== "measure" || !this.#isEarly(line.scheduled)) return line;
    if (line.end === "not_started") this.#neverStarted += 1;
    else this.#started.add(line.index);
    return { ...line, phase: "warmup" };
  }

  /** A line of the load generator's health, with the early arrivals counted in the warm-up. */
  without(line: ClientLine): ClientLine {
    const started = this.#started.size;
    return {
      ...line,
      offered: moved(line.offered, started + this.#neverStarted),
      started: moved(line.started, started),
    };
  }

  readonly #isEarly = (scheduled: string): boolean => readInstant(scheduled) < this.#before;
}

function moved({ warmup, measure }: ClientLine["offered"], early: number): ClientLine["offered"] {
  const count = Math.min(early, measure);
  return { warmup: warmup + count, measure: measure - count };
}
