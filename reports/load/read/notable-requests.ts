/** The requests of a run that are worth looking at: the slowest, and the first that failed of each kind. In bounded memory. */

import type { RequestRecord } from "../../../formats/records.ts";
import type { NotableRequest, RunResult } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { readInstant } from "../../../settings/instants.ts";

/** What requests are slow by: of each the largest value, in milliseconds; undefined where a request has none. */
export const SLOW_BY = {
  ttft: ({ ttft }: RequestRecord) => ttft,
  gap: ({ gaps_us: gaps }: RequestRecord) => (gaps?.length ? largest(gaps) / 1_000 : undefined),
  // A poll or a cancel is no unit of work to wait for.
  e2e: ({ op, e2e }: RequestRecord) => (op === "video.poll" || op === "video.cancel" ? undefined : e2e),
} as const;
export type SlowBy = keyof typeof SLOW_BY;

const largest = (values: readonly number[]): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** Kept of each. */
const KEPT = 5;
/** Kinds of failures whose requests are kept. */
const KINDS = 20;

interface Kept {
  readonly record: RequestRecord;
  readonly by: number;
}

/** The requests with the largest values, as many as are kept. They are sorted once as many again have come. */
export class Slowest {
  readonly #most: number;
  #kept: Kept[] = [];
  /** Only a larger value is among the largest. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  add(record: RequestRecord, by: number | undefined): void {
    if (by === undefined || by <= this.#least) return;
    this.#kept.push({ record, by });
    if (this.#kept.length >= 2 * this.#most) this.#sort();
  }

  #sort(): void {
    this.#kept = this.#kept.sort((a, b) => b.by - a.by).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#least = this.#kept.at(-1)?.by ?? this.#least;
  }

  /** The slowest first. */
  get records(): readonly RequestRecord[] {
    this.#sort();
    return this.#kept.map(({ record }) => record);
  }
}

/** Whether a request counts as slow or not: one that was measured, and whose response is whole. */
export const mayBeSlow = ({ phase, outcome }: RequestRecord): boolean => phase === "measure" && outcome === "ok";

/** Whether a request failed after the warm-up, and we had not cut it off. */
export const hasFailed = ({ phase, outcome }: RequestRecord): boolean =>
  phase !== "warmup" && outcome !== "ok" && outcome !== "cancelled_by_us";

export class NotableRequests {
  readonly #slowest = Object.entries(SLOW_BY).map(([by, value]) => ({ by, value, kept: new Slowest(KEPT) }));
  readonly #failed = new Map<string, RequestRecord[]>();

  add(record: RequestRecord): void {
    if (mayBeSlow(record)) for (const { value, kept } of this.#slowest) kept.add(record, value(record));
    if (!hasFailed(record)) return;
    const kind = `${record.op} ${record.outcome} ${record.status ?? 0}`;
    const known = this.#failed.get(kind);
    if (known === undefined && this.#failed.size < KINDS) this.#failed.set(kind, [record]);
    else if (known !== undefined && known.length < KEPT) known.push(record);
  }

  /**
   * Those of a run.
   * @param origin instant of second 0, in milliseconds
   */
  of(origin: number): NonNullable<RunResult["requests"]> {
    const rows = (records: readonly RequestRecord[]) => records.map((record) => notableOf(record, origin));
    return {
      slowest: Object.fromEntries(
        this.#slowest.filter(({ kept }) => kept.records.length > 0).map(({ by, kept }) => [by, rows(kept.records)]),
      ),
      failed: rows([...this.#failed.values()].flat()),
    };
  }
}

/** What a list of requests says of one. @param origin instant of second 0, in milliseconds */
export function notableOf(record: RequestRecord, origin: number): NotableRequest {
  const { id, op, outcome, status, detail, ttft, e2e, model, workload, turn, task } = record;
  return omitUndefined<NotableRequest>({
    id,
    op,
    outcome,
    sentS: Math.round((readInstant(record.sent) - origin) * 1_000) / 1_000_000,
    status: status || undefined,
    reason: detail,
    ttftMs: ttft,
    gapMs: SLOW_BY.gap(record),
    e2eMs: e2e,
    inputTokens: record.input_tokens,
    outputTokens: record.output_tokens,
    model,
    workload,
    turn,
    task,
    traceId: record.trace_id,
  });
}
