/** The newest records of a load that is running: the units of work that ended within some time. Pure. */

import { kindOfLine, type RequestRecord, requestRecord } from "../../../formats/records.ts";
import { parseJson } from "../../../lib/json.ts";
import { readInstant } from "../../../settings/instants.ts";

/** The requests of one unit of work so far, as lines of `records.jsonl`. */
interface RecentUnit {
  readonly lines: string[];
  /** End of its newest request, in milliseconds since 1970. */
  endMs: number;
  /** Whether nothing more is expected of it. */
  ended: boolean;
}

const TERMINAL: readonly (string | undefined)[] = ["completed", "failed", "cancelled"];

/** A video task has ended when a poll shows it, or when it was not accepted; anything else has with its request. */
function endsUnit({ op, outcome, task_state }: RequestRecord): boolean {
  if (op === "video.submit") return outcome !== "ok";
  return op === "video.poll" ? outcome === "ok" && TERMINAL.includes(task_state) : op !== "video.cancel";
}

export class RecentRecords {
  readonly #keepMs: number;
  /** By arrival; a request that belongs to none is a unit of its own. */
  readonly #units = new Map<string, RecentUnit>();

  /** @param keepMs the longest time that will be asked for */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** Adds a line of `records.jsonl`. What is no request of the measured time is left out; so is a damaged line. */
  add(line: string): void {
    const value = parseJson(line);
    if (kindOfLine(value) !== "request") return;
    const parsed = requestRecord.safeParse(value);
    if (!parsed.success || parsed.data.phase !== "measure") return;
    const { data: record } = parsed;
    const key = record.arrival === undefined ? record.id : String(record.arrival);
    const unit = this.#units.get(key) ?? { lines: [], endMs: 0, ended: false };
    this.#units.set(key, unit);
    unit.lines.push(line);
    unit.endMs = Math.max(unit.endMs, readInstant(record.sent) + (record.e2e ?? record.ttft ?? record.ttfb ?? 0));
    unit.ended ||= endsUnit(record);
  }

  /** The lines of the units that ended within the last `windowMs`; those that are too old for any question are dropped. */
  endedWithin(windowMs: number, nowMs: number): { readonly lines: readonly string[]; readonly units: number } {
    const lines: string[] = [];
    let units = 0;
    for (const [key, unit] of this.#units) {
      if (unit.ended && unit.endMs < nowMs - this.#keepMs) this.#units.delete(key);
      if (!unit.ended || unit.endMs < nowMs - windowMs || unit.endMs > nowMs) continue;
      lines.push(...unit.lines);
      units += 1;
    }
    return { lines, units };
  }
}
