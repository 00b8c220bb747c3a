/**
 * The run that docs/metrics.md works out by hand: 16 arrivals of a mixed load, two per second for eight seconds, of which
 * three at most may be in progress. Instants in milliseconds from the start of the run.
 */

import type { ClientLine } from "../../../formats/client.ts";
import type { ArrivalLine, RequestRecord } from "../../../formats/records.ts";
import { instant } from "../results/load-run.ts";

const DURATION_MS = 8_000;
const ARRIVALS = 16;
const NEVER_STARTED = [14, 15];

const dueOf = (arrival: number): number => arrival * 500;

type Call = Pick<RequestRecord, "op"> & Partial<RequestRecord> & { readonly sentAt: number; readonly endAt: number };

/** A request of an arrival; the first of an arrival also says how late it was. */
function request(arrival: number, { sentAt, endAt, ...members }: Call): RequestRecord {
  return {
    id: `r-${arrival}-${sentAt}`,
    phase: "measure",
    arrival,
    scheduled: instant(dueOf(arrival)),
    sent: instant(sentAt),
    outcome: "ok",
    status: 200,
    e2e: endAt - sentAt,
    ...members,
  };
}

/** The first request of an arrival that waited so long for a slot and was sent so much later than it could have been. */
function first(
  arrival: number,
  { headersAt, slot_wait = 0, lag = 0, ...call }: Omit<Call, "sentAt"> & { readonly headersAt: number },
): RequestRecord {
  const sentAt = dueOf(arrival) + slot_wait + lag;
  const e2e_scheduled = call.endAt - dueOf(arrival);
  return request(arrival, { ...call, sentAt, slot_wait, lag, ttfb: headersAt - sentAt, e2e_scheduled });
}

interface Stream extends Omit<Parameters<typeof first>[1], "op"> {
  readonly contentAt: readonly number[];
}

function stream(arrival: number, { contentAt, ...call }: Stream): RequestRecord {
  const [begin = 0] = contentAt;
  const gaps = contentAt.slice(1).map((at, index) => at - (contentAt[index] ?? 0));
  const record = first(arrival, { op: "chat.stream", max_tokens: 100, token_source: "usage", ...call });
  return {
    ...record,
    ttft: begin - dueOf(arrival) - (call.slot_wait ?? 0) - (call.lag ?? 0),
    ttft_scheduled: begin - dueOf(arrival),
    chunks: contentAt.length,
    coalesced: gaps.filter((gap) => gap === 0).length,
    gaps_us: gaps.map((gap) => gap * 1_000),
  };
}

type Poll = readonly [sentAt: number, endAt: number, state: string, progress: number, cost?: number];

function video(arrival: number, submittedAt: number, polls: readonly Poll[]): RequestRecord[] {
  const task = `task-${arrival}`;
  return [
    first(arrival, {
      op: "video.submit",
      status: 202,
      headersAt: submittedAt,
      endAt: submittedAt,
      task,
      task_state: "processing",
    }),
    ...polls.map(([sentAt, endAt, task_state, progress, cost]) =>
      request(arrival, {
        op: "video.poll",
        sentAt,
        endAt,
        task,
        task_state,
        progress,
        ...(cost !== undefined && { cost }),
      }),
    ),
  ];
}

const REQUESTS: readonly RequestRecord[] = [
  ...video(0, 20, [
    [1_020, 1_030, "processing", 50],
    [2_030, 2_040, "completed", 100, 0.5],
  ]),
  request(0, { op: "video.fetch", sentAt: 2_040, endAt: 2_100, task: "task-0", bytes: 4_096 }),
  stream(1, {
    headersAt: 600,
    contentAt: [700, 720, 740, 760, 780],
    endAt: 790,
    requested_input_tokens: 16,
    input_tokens: 20,
    output_tokens: 5,
  }),
  stream(2, {
    lag: 4,
    headersAt: 1_104,
    contentAt: [1_304, 1_344, 1_344, 1_384],
    endAt: 1_394,
    requested_input_tokens: 18,
    input_tokens: 20,
    output_tokens: 5,
  }),
  first(3, { op: "embeddings", headersAt: 1_550, endAt: 1_560, items: 8, input_tokens: 60, dimensions: 4 }),
  first(4, {
    op: "chat",
    headersAt: 2_400,
    endAt: 2_450,
    max_tokens: 100,
    input_tokens: 30,
    output_tokens: 10,
    token_source: "usage",
  }),
  {
    ...stream(5, {
      headersAt: 2_600,
      contentAt: [3_200, 3_230, 3_260],
      endAt: 3_300,
      input_tokens: 30,
      output_tokens: 15,
      reasoning_tokens: 12,
    }),
    ttft_any: 200,
    ttlt_any: 760,
  },
  first(6, {
    op: "chat.stream",
    headersAt: 3_040,
    endAt: 3_050,
    outcome: "http_error",
    status: 503,
    detail: "status 503",
    max_tokens: 100,
  }),
  ...video(7, 3_530, [
    [4_530, 4_540, "processing", 10],
    [5_555, 5_565, "cancelled", 10],
  ]),
  request(7, { op: "video.cancel", sentAt: 4_540, endAt: 4_555, task: "task-7", cancel_reason: "asked" }),
  stream(8, {
    headersAt: 4_050,
    contentAt: [4_160, 4_210, 5_410, 5_435, 5_460],
    endAt: 5_470,
    output_tokens: 5,
    token_source: "chunks",
  }),
  ...video(10, 5_040, [
    [6_040, 6_050, "processing", 0],
    [7_050, 7_060, "failed", 0],
  ]),
  stream(11, {
    headersAt: 5_600,
    contentAt: [6_000, 6_500, 7_000, 7_500, 8_000, 8_500],
    endAt: 8_500,
    input_tokens: 25,
    output_tokens: 11,
  }),
  stream(12, {
    headersAt: 6_100,
    contentAt: [6_400, 7_400],
    endAt: 10_000,
    outcome: "cancelled_by_us",
    output_tokens: 2,
    token_source: "chunks",
  }),
  stream(13, {
    slot_wait: 560,
    headersAt: 7_160,
    contentAt: [7_600, 7_850, 8_100],
    endAt: 8_100,
    input_tokens: 25,
    output_tokens: 5,
  }),
];

const arrivalEnd = (index: number, end: ArrivalLine["end"]): ArrivalLine => ({
  index,
  phase: "measure",
  scheduled: instant(dueOf(index)),
  end,
});

const ENDS: readonly ArrivalLine[] = [
  { ...arrivalEnd(9, "threw"), detail: "TypeError: prompt is undefined" },
  ...NEVER_STARTED.map((index) => arrivalEnd(index, "not_started")),
];

const HEADER = {
  schema: "assay.records/1",
  settings: {
    scenario: "mixed",
    target: "http://127.0.0.1:8080",
    rate: 2,
    warmup: 0,
    duration: DURATION_MS,
    drain: 2_000,
    maxInFlight: 3,
    // So that the parts of the arrivals are those of the page.
    seed: 3_248_234,
    workload: {
      title: "mixed",
      workloads: [
        { name: "chat-stream", operation: "chat-stream", weight: 10, settings: {} },
        { name: "chat", operation: "chat", weight: 1, settings: {} },
        { name: "embeddings", operation: "embeddings", weight: 2, settings: {} },
        { name: "video", operation: "video", weight: 3, settings: {} },
      ],
    },
  },
  startedAt: instant(0),
};

/** 91 wake-ups per second, one of them 2 ms late. */
function clientLine(second: number): ClientLine {
  const offered = Math.min(ARRIVALS, second * 2);
  const started = Math.min(ARRIVALS - NEVER_STARTED.length, offered);
  const final = second === 10 && { final: true, records: REQUESTS.length };
  return {
    t: second,
    cpu: 0.2,
    cpus: 2,
    wake_p99_ms: 2,
    wakes_us: [...Array.from({ length: 90 }, () => 200), 2_000],
    lag_p99_ms: second === 2 ? 4 : 0,
    in_flight_limit: 3,
    offered: { warmup: 0, measure: offered },
    started: { warmup: 0, measure: started },
    schedule_started_at: instant(0),
    ...final,
  };
}

const endOf = ({ sent, e2e = 0 }: RequestRecord): number => Date.parse(sent) + e2e;

/** The run, and its lines as the load generator writes them, in the order in which requests end. */
/** A canary prompt: two equal responses before the load, then four, of which one differs. */
const CANARY = [
  { schema: "assay.canary/1", prompts: 1 },
  ...["Rome", "Rome", "Rome", "Rome.", "Rome", "Rome"].map((text, nth) => ({
    ...{ at: instant((nth - 2) * 1_000), prompt: 1, alone: nth < 2, text },
  })),
];

export const WORKED_EXAMPLE = {
  requests: REQUESTS,
  arrivals: ENDS,
  durationMs: DURATION_MS,
  shard: {
    records: [HEADER, ...REQUESTS.toSorted((a, b) => endOf(a) - endOf(b)), ...ENDS.map((arrival) => ({ arrival }))].map(
      (line) => JSON.stringify(line),
    ),
    client: Array.from({ length: 10 }, (_, index) => JSON.stringify(clientLine(index + 1))),
    canary: CANARY.map((line) => JSON.stringify(line)),
  },
};
