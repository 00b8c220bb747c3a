/** The requests of a run that are worth looking at: the slowest, and some that failed of each kind. In bounded memory. */

import { endedByUs, FOLLOWS_TASK } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import type { ListedRequests, NotableRequest } from "../../../formats/run-requests.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { TASK, TASK_REASONS } from "./failed-requests.ts";

/** What requests are slow by: of each the largest value, in milliseconds; undefined where a request has none. */
export const SLOW_BY = {
  ttft: ({ ttft }: RequestRecord) => ttft,
  gap: ({ gaps_us: gaps }: RequestRecord) => (gaps?.length ? largest(gaps) / 1_000 : undefined),
  // What follows a task is no unit of work to wait for.
  e2e: ({ op, e2e }: RequestRecord) => (FOLLOWS_TASK.includes(op) ? undefined : e2e),
} as const;
export type SlowBy = keyof typeof SLOW_BY;

const largest = (values: readonly number[]): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** Kept of those that are slow by one value. */
const KEPT = 5;
/** Kept of each kind of failure. */
const KEPT_FAILED = 20;
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

/** The first of a kind and others evenly spread over all of them, up to twice as many as are wanted. */
export class SpreadSample {
  readonly #wanted: number;
  #kept: RequestRecord[] = [];
  /** One of so many is kept. */
  #every = 1;
  #seen = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  add(record: RequestRecord): void {
    if (this.#seen % this.#every === 0) this.#kept.push(record);
    this.#seen += 1;
    if (this.#kept.length < 2 * this.#wanted) return;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }

  get records(): readonly RequestRecord[] {
    const count = Math.min(this.#wanted, this.#kept.length);
    const step = this.#kept.length / count;
    return Array.from({ length: count }, (_, index) => this.#kept[Math.floor(index * step)]).filter(
      (record) => record !== undefined,
    );
  }
}

/** Whether a request counts as slow or not: one that was measured, and whose response is whole. */
export const mayBeSlow = ({ phase, outcome }: RequestRecord): boolean => phase === "measure" && outcome === "ok";

/** Whether a poll shows that its video task failed: the poll itself is ok, and stands for the task. */
const showsFailedTask = ({ op, outcome, task_state }: RequestRecord): boolean =>
  op === "video.poll" && outcome === "ok" && task_state === "failed";

/** Whether a request, or the video task that it shows, failed after the warm-up, and we had not cut it off. */
export const hasFailed = (record: RequestRecord): boolean =>
  record.phase !== "warmup" && ((record.outcome !== "ok" && !endedByUs(record.outcome)) || showsFailedTask(record));

export class NotableRequests {
  readonly #slowest = Object.entries(SLOW_BY).map(([by, value]) => ({ by, value, kept: new Slowest(KEPT) }));
  readonly #failed = new Map<string, SpreadSample>();

  add(record: RequestRecord): void {
    if (mayBeSlow(record)) for (const { value, kept } of this.#slowest) kept.add(record, value(record));
    if (!hasFailed(record)) return;
    const kind = `${record.op} ${record.outcome} ${record.status ?? 0}`;
    const sample = this.#failed.get(kind) ?? new SpreadSample(KEPT_FAILED);
    if (!this.#failed.has(kind) && this.#failed.size === KINDS) return;
    this.#failed.set(kind, sample);
    sample.add(record);
  }

  /**
   * Those of a run.
   * @param origin instant of second 0, in milliseconds
   */
  of(origin: number): ListedRequests {
    const rows = (records: readonly RequestRecord[]) => records.map((record) => notableOf(record, origin));
    return {
      slowest: Object.fromEntries(
        this.#slowest.filter(({ kept }) => kept.records.length > 0).map(({ by, kept }) => [by, rows(kept.records)]),
      ),
      failed: rows([...this.#failed.values()].flatMap(({ records }) => records)),
    };
  }
}

/** What a list of requests says of one. @param origin instant of second 0, in milliseconds */
export function notableOf(record: RequestRecord, origin: number): NotableRequest {
  const { id, status, detail, ttft, e2e, model, workload, turn, task } = record;
  const isOfTask = showsFailedTask(record);
  return omitUndefined<NotableRequest>({
    id,
    op: isOfTask ? TASK : record.op,
    outcome: isOfTask ? "task_failed" : record.outcome,
    sentS: Math.round((readInstant(record.sent) - origin) * 1_000) / 1_000_000,
    status: isOfTask ? undefined : status || undefined,
    reason: detail ?? (isOfTask ? TASK_REASONS.task_failed : undefined),
    ttftMs: ttft,
    gapMs: SLOW_BY.gap(record),
    e2eMs: e2e,
    inputTokens: record.input_tokens,
    outputTokens: record.output_tokens,
    maxTokens: record.max_tokens,
    model,
    workload,
    turn,
    task,
    arrival: record.arrival,
    lateMs: record.lag === undefined ? undefined : rounded(readInstant(record.sent) - readInstant(record.scheduled)),
    ttfbMs: record.ttfb,
    chunks: record.chunks,
    progress: record.progress,
    state: record.task_state,
    ...chunkTimes(record),
    completion: record.completion,
    traceId: record.trace_id,
  });
}

/** Chunks and gaps of a request that are listed at most, and stalls. */
const MOST_CHUNKS = 100;
const MOST_STALLS = 20;
const STALL_US = STALL_MS * 1_000;

/** When chunks came, the gaps between them, and which of these are stalls; none of a request without gaps. */
function chunkTimes({
  ttft,
  gaps_us: gaps = [],
}: RequestRecord): Pick<NotableRequest, "chunksMs" | "gapsMs" | "stallsMs"> {
  if (ttft === undefined || gaps.length === 0) return {};
  const width = Math.min(MOST_CHUNKS, gaps.length);
  const chunksMs = [ttft];
  const gapsMs: number[] = [];
  const stallsMs: [number, number][] = [];
  let [at, most] = [ttft, 0];
  for (const [index, us] of gaps.entries()) {
    if (us > STALL_US && stallsMs.length < MOST_STALLS) stallsMs.push([rounded(at), rounded(at + us / 1_000)]);
    at += us / 1_000;
    most = Math.max(most, us / 1_000);
    if (Math.floor(((index + 1) * width) / gaps.length) === Math.floor((index * width) / gaps.length)) continue;
    chunksMs.push(rounded(at));
    gapsMs.push(rounded(most));
    most = 0;
  }
  return { chunksMs, gapsMs, ...(stallsMs.length > 0 && { stallsMs }) };
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
