/** Recorded histories of video tasks for tests: legal ones at random, as exchanges of the suite's own probes. */

import fc from "fast-check";
import type { Probe } from "../../../conformance/model/probe.ts";
import { cancelledTask, completedTask, failedTask } from "../../../conformance/probes/video.ts";
import { videoCancelPath, videoTaskPath } from "../../../contract/service.ts";
import type { Exchange } from "../../../formats/exchanges.ts";

type Body = Readonly<Record<string, unknown>>;

/** One response about a task, before it becomes an exchange. */
export interface Moment {
  readonly part: "submit" | "poll" | "cancel";
  readonly status: number;
  readonly body: Body;
}

/** The tasks of the suite: one that completes, one that is cancelled, one that fails. */
export interface TaskHistories {
  readonly complete: readonly Moment[];
  readonly cancel: readonly Moment[];
  readonly fail: readonly Moment[];
}

const PROBES: Readonly<Record<keyof TaskHistories, Probe>> = {
  complete: completedTask,
  cancel: cancelledTask,
  fail: failedTask,
};
const STARTED = "2030-01-01T00:00:00.000Z";

const absent = fc.constantFrom({}, { video_url: null, usage: null, error: null });
const extra = fc.constantFrom({}, { trace: "a-7" }, { note: null, queue: [1, 2] });
const free = fc.tuple(absent, extra).map(([nulls, more]): Body => ({ ...nulls, ...more }));
const refused = fc.constantFrom(400, 403, 404, 405, 409, 422);

const poll = (body: fc.Arbitrary<Body>): fc.Arbitrary<Moment> =>
  fc.tuple(free, body).map(([more, own]) => ({ part: "poll", status: 200, body: { ...more, ...own } }));
const processing = (id: string) =>
  poll(fc.integer({ min: 0, max: 100 }).map((progress) => ({ id, status: "processing", progress })));
const completed = (id: string) =>
  poll(
    fc.double({ min: 0, max: 9, noNaN: true }).map((total_cost) => ({
      id,
      status: "completed",
      video_url: "https://cdn.example/a b.mp4",
      usage: { total_cost },
    })),
  );
const failed = (id: string) =>
  poll(fc.string().map((message) => ({ id, status: "failed", error: { message, code: "content_filter" } })));
const cancelled = (id: string) => poll(fc.constant({ id, status: "cancelled" }));
const refusedCancel: fc.Arbitrary<Moment> = fc
  .tuple(refused, fc.string())
  .map(([status, error]) => ({ part: "cancel", status, body: { error } }));
const submission = (id: string): Moment => ({
  part: "submit",
  status: 202,
  body: { id, model: "m", status: "processing", created_at: STARTED },
});

const some = (moment: fc.Arbitrary<Moment>, minLength: number, maxLength: number) =>
  fc.array(moment, { minLength, maxLength });

const ended = (id: string, end: fc.Arbitrary<Moment>): fc.Arbitrary<Moment[]> =>
  fc
    .tuple(some(processing(id), 1, 6), some(end, 2, 4), refusedCancel, some(end, 1, 3))
    .map(([before, after, cancel, last]) => [submission(id), ...before, ...after, cancel, ...last]);

const cancelledEarly = (id: string): fc.Arbitrary<Moment[]> => {
  const works: Moment = { part: "cancel", status: 200, body: { id, status: "cancelled" } };
  const again = fc.oneof(refusedCancel, fc.constant(works));
  return fc
    .tuple(some(processing(id), 0, 2), some(cancelled(id), 1, 3), again, some(cancelled(id), 1, 3))
    .map(([before, after, second, last]) => [submission(id), ...before, works, ...after, second, ...last]);
};

/** Histories that conform to the specification in every point, with all that it leaves open chosen at random. */
export const legalHistories: fc.Arbitrary<TaskHistories> = fc
  .uniqueArray(fc.string({ unit: "binary", minLength: 1, maxLength: 12 }), { minLength: 3, maxLength: 3 })
  .chain(([a = "a", b = "b", c = "c"]) =>
    fc.record({ complete: ended(a, completed(a)), cancel: cancelledEarly(b), fail: ended(c, failed(c)) }),
  );

/** TaskHistories as the exchanges that a run would have recorded. */
export function recorded(histories: TaskHistories): readonly Exchange[] {
  const moments = (Object.keys(PROBES) as (keyof TaskHistories)[]).flatMap((kind) =>
    histories[kind].map((moment) => ({
      moment,
      probe: PROBES[kind].name,
      task: String(histories[kind][0]?.body["id"]),
    })),
  );
  return moments.map(({ moment, probe, task }, index) => exchange(moment, probe, task, index + 1));
}

function exchange({ part, status, body }: Moment, probe: string, task: string, id: number): Exchange {
  const path = { submit: "/v1/videos/generations", poll: videoTaskPath(task), cancel: videoCancelPath(task) }[part];
  return {
    id,
    probe,
    request: {
      method: part === "poll" ? "GET" : "POST",
      url: `http://h${path}`,
      headers: { authorization: "Bearer key" },
    },
    answer: {
      status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      truncated: false,
      chunks: [],
      headersMs: 1,
      endMs: 2,
    },
    // One after another.
    startedAt: new Date(Date.parse(STARTED) + 1_000 * id).toISOString(),
  };
}
