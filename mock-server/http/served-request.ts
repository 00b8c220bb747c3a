/** One request from its arrival to its row of the ground truth. */

import type { GroundTruthRow } from "../../formats/ground-truth.ts";
import { formatInstant } from "../../settings/instants.ts";
import type { MockContext } from "../service/mock-context.ts";
import { round } from "../timing/lateness.ts";

export interface Arrival {
  readonly id: string;
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  /** `performance.now()` when the request's headers were read. */
  readonly arrivedMs: number;
}

export class ServedRequest {
  readonly arrival: Arrival;
  readonly #context: MockContext;
  readonly #actual: number[] = [];
  readonly #planned: number[] = [];
  #plannedRest: () => readonly number[] = () => [];
  #headersMs: number | undefined;
  #streaming = false;
  #over = false;
  status = 0;
  route = "none";
  tokens = 0;
  task: string | undefined;
  faults: readonly string[] = [];
  /** Called once, when it ends. */
  onEnd: (clientLeft: boolean) => void = () => {};

  constructor(context: MockContext, arrival: Arrival) {
    this.#context = context;
    this.arrival = arrival;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Milliseconds since the arrival. */
  elapsed(): number {
    return performance.now() - this.arrival.arrivedMs;
  }

  /** Records that a stream begins; `plannedRest` returns when the chunks not yet written are due, if that is known. */
  startStream(plannedRest: () => readonly number[]): void {
    this.#streaming = true;
    this.#plannedRest = plannedRest;
    this.#context.counters.streams.started += 1;
  }

  wroteHeaders(status: number): void {
    this.status = status;
    this.#headersMs = round(this.elapsed());
  }

  /** Records that a chunk of content was written; both are times of `performance.now()`. */
  wroteContent(plannedMs: number, actualMs: number): void {
    const { arrivedMs } = this.arrival;
    this.#planned.push(round(plannedMs - arrivedMs));
    this.#actual.push(round(actualMs - arrivedMs));
    this.#context.lateness.add(actualMs - plannedMs);
  }

  /** Ends the exchange, once: adds its row, counts it, and releases its slot. */
  finish(clientLeft: boolean): void {
    if (this.#over) return;
    this.#over = true;
    const { counters, groundTruth } = this.#context;
    counters.count(this.route, this.status);
    if (this.#streaming) counters.streams[clientLeft ? "left" : "completed"] += 1;
    groundTruth.add(this.#row(clientLeft));
    this.onEnd(clientLeft);
  }

  #row(clientLeft: boolean): GroundTruthRow {
    const { id, connection, method, path, arrivedMs } = this.arrival;
    const late = this.#lateP99();
    return {
      id,
      connection,
      route: this.route,
      method,
      path,
      status: this.status,
      startedAt: formatInstant(performance.timeOrigin + arrivedMs),
      receivedMs: round(arrivedMs - this.#context.startedMs),
      planned_ms: [...this.#planned, ...this.#plannedRest().map(round)],
      actual_ms: this.#actual,
      ...(this.#headersMs === undefined ? {} : { headersMs: this.#headersMs }),
      endMs: round(this.elapsed()),
      tokens: this.tokens,
      ...(this.task === undefined ? {} : { task: this.task }),
      ...(this.faults.length === 0 ? {} : { fault: this.faults.join(",") }),
      clientLeft,
      ...(late === undefined ? {} : { lateP99Ms: late }),
    };
  }

  #lateP99(): number | undefined {
    const late = Float64Array.from(this.#actual, (at, i) => at - (this.#planned[i] ?? at)).sort();
    const p99 = late[Math.ceil(late.length * 0.99) - 1];
    return p99 === undefined ? undefined : Math.max(0, round(p99));
  }
}
