import { describe, expect, it } from "vitest";
import type { CancelReason } from "../../formats/outcomes.ts";
import { type CancelPoint, parseCancelPoint } from "../../settings/load/cancel-point.ts";
import { MAX_FAILED_POLLS, runVideoTask, type TaskReply } from "./run-video-task.ts";

const OK = { outcome: "ok" };
const ok = (task_state: string): TaskReply => ({ ...OK, task_state });
const lost: TaskReply = { outcome: "http_error" };

interface Responses {
  readonly submitted?: TaskReply;
  readonly polls?: readonly TaskReply[];
  readonly cancelled?: TaskReply;
  /** Waits after which the run stops, each of a second unless it is to cancel in between. */
  readonly waits?: number;
  /** In milliseconds; absent: a task is never given up for its time. */
  readonly timeoutMs?: number;
}

/** Runs a task with these responses and returns the requests in order; polls repeat the last response. */
function requestsOf(responses: Responses, cancelAt?: string): readonly string[] {
  const sent: string[] = [];
  const polls = responses.polls ?? [];
  let polled = 0;
  let waited = 0;
  let now = 0;
  const calls = {
    submit: () => {
      sent.push("submit");
      return responses.submitted ?? { ...OK, task: "t", task_state: "processing" };
    },
    wait: (ms: number) => {
      waited += 1;
      now += ms;
      return waited <= (responses.waits ?? 50);
    },
    poll: (task: string) => {
      sent.push(`poll ${task}`);
      polled += 1;
      return polls[Math.min(polled, polls.length) - 1] ?? ok("processing");
    },
    cancel: (task: string, reason: CancelReason) => {
      sent.push(`cancel ${task}: ${reason}`);
      return responses.cancelled ?? ok("cancelled");
    },
    fetch: (task: string, video: string) => void sent.push(`fetch ${task} ${video}`),
    now: () => now,
  };
  const point: CancelPoint | undefined = cancelAt === undefined ? undefined : parseCancelPoint(cancelAt);
  runVideoTask(calls, { cancelAt: point, waitBefore: () => 1_000, timeoutMs: responses.timeoutMs ?? 0 });
  return sent;
}

describe("a video task", () => {
  it.each(["completed", "failed", "cancelled"])("ends with the poll that shows it %s", (state) => {
    expect(requestsOf({ polls: [ok("processing"), ok("processing"), ok(state)] })).toEqual([
      "submit",
      "poll t",
      "poll t",
      "poll t",
    ]);
  });

  it("has its video requested once, when it is completed and has an address", () => {
    const video_url = "http://v/1.mp4";
    const ended = (state: string) => requestsOf({ polls: [ok("processing"), { ...ok(state), video_url }] });
    expect(ended("completed")).toEqual(["submit", "poll t", "poll t", `fetch t ${video_url}`]);
    expect(ended("failed")).toEqual(["submit", "poll t", "poll t"]);
    const cancelled = { polls: [ok("processing"), { ...ok("completed"), video_url }], cancelled: lost };
    expect(requestsOf(cancelled, "processing").at(-1)).toBe(`fetch t ${video_url}`);
  });

  it("is over at once when the submission is rejected", () => {
    expect(requestsOf({ submitted: { outcome: "http_error" } })).toEqual(["submit"]);
    expect(requestsOf({ submitted: { outcome: "contract", task: "" } })).toEqual(["submit"]);
  });

  it("is cancelled when the submission returned an error that names it", () => {
    const submitted = { outcome: "http_error", task: "t" };
    expect(requestsOf({ submitted })).toEqual(["submit", "cancel t: given_up", "poll t"]);
    expect(requestsOf({ submitted, cancelled: lost })).toEqual(["submit", "cancel t: given_up"]);
  });

  it("stops with the run", () => {
    expect(requestsOf({ waits: 2 })).toEqual(["submit", "poll t", "poll t"]);
  });

  it("is cancelled after the first poll that shows it processing, and the next poll shows that it was", () => {
    expect(requestsOf({ polls: [lost, ok("processing"), ok("cancelled")] }, "processing")).toEqual([
      "submit",
      "poll t",
      "poll t",
      "cancel t: asked",
      "poll t",
    ]);
  });

  it.each([
    ["was accepted and forgotten", ok("cancelled")],
    ["lost the race", lost],
  ])("goes on when the cancel %s, and is cancelled no second time", (_, cancelled) => {
    const story = { polls: [ok("processing"), ok("processing"), ok("completed")], cancelled };
    expect(requestsOf(story, "processing")).toEqual(["submit", "poll t", "cancel t: asked", "poll t", "poll t"]);
  });

  it("is not cancelled when it ends before it was seen processing", () => {
    expect(requestsOf({ polls: [ok("completed")] }, "processing")).toEqual(["submit", "poll t"]);
  });

  it("is cancelled at once, before any poll", () => {
    expect(requestsOf({ polls: [ok("cancelled")] }, "at-once")).toEqual(["submit", "cancel t: asked", "poll t"]);
  });

  it("is cancelled after the first poll that shows the progress", () => {
    const polls = [20, 49, 70, 90].map((progress) => ({ ...ok("processing"), progress }));
    const story = { polls: [...polls, ok("cancelled")] };
    expect(requestsOf(story, "50%").indexOf("cancel t: asked")).toBe(4);
    expect(requestsOf(story, "90%").indexOf("cancel t: asked")).toBe(5);
    expect(requestsOf(story, "95%")).not.toContain("cancel t: asked");
    expect(requestsOf({ polls: [ok("processing"), ok("completed")] }, "50%")).not.toContain("cancel t: asked");
  });

  it("is cancelled after a time, between two polls", () => {
    const story = { polls: [ok("processing"), ok("processing"), ok("cancelled")] };
    const requests = ["submit", "poll t", "poll t", "poll t"];
    expect(requestsOf(story, "1500ms")).toEqual(requests.toSpliced(2, 0, "cancel t: asked"));
    expect(requestsOf(story, "300ms")).toEqual(requests.toSpliced(1, 0, "cancel t: asked"));
    expect(requestsOf(story, "4s")).toEqual(requests);
    expect(requestsOf({ ...story, waits: 1 }, "300ms")).toEqual(["submit", "cancel t: asked"]);
  });

  it("is given up and cancelled when polls in a row tell nothing", () => {
    const polls = (count: number) => Array.from({ length: count }, () => "poll t");
    const givenUp = ["cancel t: given_up", "poll t"];
    expect(requestsOf({ polls: [lost] })).toEqual(["submit", ...polls(MAX_FAILED_POLLS), ...givenUp]);
    expect(requestsOf({ polls: [lost, lost, lost, lost, ok("processing"), lost] })).toEqual([
      "submit",
      ...polls(5 + MAX_FAILED_POLLS),
      ...givenUp,
    ]);
  });

  it("is given up and cancelled when it takes too long", () => {
    const story = { polls: [ok("processing")], timeoutMs: 3_000 };
    expect(requestsOf(story)).toEqual(["submit", "poll t", "poll t", "poll t", "cancel t: given_up", "poll t"]);
    expect(requestsOf({ ...story, cancelled: lost })).toEqual([
      ...["submit", "poll t", "poll t", "poll t", "cancel t: given_up"],
    ]);
    expect(requestsOf({ ...story, waits: 3 }).at(-1)).toBe("cancel t: given_up");
  });

  it("is not given up for its time when the limit is 0", () => {
    expect(requestsOf({ polls: [ok("processing")], waits: 40 })).toHaveLength(41);
  });
});
