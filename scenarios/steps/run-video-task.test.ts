import { describe, expect, it } from "vitest";
import type { CancelReason } from "../../formats/outcomes.ts";
import { MAX_FAILED_POLLS, runVideoTask, type TaskReply } from "./run-video-task.ts";

const OK = { outcome: "ok" };
const ok = (task_state: string): TaskReply => ({ ...OK, task_state });
const lost: TaskReply = { outcome: "http_error" };

interface Responses {
  readonly submitted?: TaskReply;
  readonly polls?: readonly TaskReply[];
  readonly cancelled?: TaskReply;
  /** Waits after which the run stops, each of a second. */
  readonly waits?: number;
  /** In milliseconds; absent: a task is never given up for its time. */
  readonly timeoutMs?: number;
}

/** Runs a task with these responses and returns the requests in order; polls repeat the last response. */
function requestsOf(responses: Responses, toBeCancelled = false): readonly string[] {
  const sent: string[] = [];
  const polls = responses.polls ?? [];
  let polled = 0;
  let waited = 0;
  const calls = {
    submit: () => {
      sent.push("submit");
      return responses.submitted ?? { ...OK, task: "t", task_state: "processing" };
    },
    wait: () => {
      waited += 1;
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
    now: () => 1_000 * waited,
  };
  runVideoTask(calls, toBeCancelled, responses.timeoutMs ?? 0);
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

  it("is over at once when the submission is rejected", () => {
    expect(requestsOf({ submitted: { outcome: "http_error" } })).toEqual(["submit"]);
    expect(requestsOf({ submitted: { outcome: "contract", task: "" } })).toEqual(["submit"]);
  });

  it("stops with the run", () => {
    expect(requestsOf({ waits: 2 })).toEqual(["submit", "poll t", "poll t"]);
  });

  it("is cancelled after the first poll that shows it processing, and the next poll shows that it was", () => {
    expect(requestsOf({ polls: [lost, ok("processing"), ok("cancelled")] }, true)).toEqual([
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
    expect(requestsOf(story, true)).toEqual(["submit", "poll t", "cancel t: asked", "poll t", "poll t"]);
  });

  it("is not cancelled when it ends before it was seen processing", () => {
    expect(requestsOf({ polls: [ok("completed")] }, true)).toEqual(["submit", "poll t"]);
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
