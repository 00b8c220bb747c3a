import { describe, expect, it } from "vitest";
import { MAX_FAILED_POLLS, runVideoTask, type TaskReply } from "./run-video-task.ts";

const OK = { outcome: "ok" };
const ok = (task_state: string): TaskReply => ({ ...OK, task_state });
const lost: TaskReply = { outcome: "http_error" };

interface Responses {
  readonly submitted?: TaskReply;
  readonly polls?: readonly TaskReply[];
  readonly cancelled?: TaskReply;
  /** Waits after which the run stops. */
  readonly waits?: number;
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
    cancel: (task: string) => {
      sent.push(`cancel ${task}`);
      return responses.cancelled ?? ok("cancelled");
    },
  };
  runVideoTask(calls, toBeCancelled);
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

  it("is cancelled after the first poll that shows it processing", () => {
    expect(requestsOf({ polls: [lost, ok("processing")] }, true)).toEqual(["submit", "poll t", "poll t", "cancel t"]);
  });

  it("goes on when the cancel lost the race, and is cancelled no second time", () => {
    const story = { polls: [ok("processing"), ok("processing"), ok("completed")], cancelled: lost };
    expect(requestsOf(story, true)).toEqual(["submit", "poll t", "cancel t", "poll t", "poll t"]);
  });

  it("is not cancelled when it ends before it was seen processing", () => {
    expect(requestsOf({ polls: [ok("completed")] }, true)).toEqual(["submit", "poll t"]);
  });

  it("is given up when polls in a row tell nothing", () => {
    expect(requestsOf({ polls: [lost] })).toHaveLength(1 + MAX_FAILED_POLLS);
    expect(requestsOf({ polls: [lost, lost, lost, lost, ok("processing"), lost] })).toHaveLength(
      1 + 5 + MAX_FAILED_POLLS,
    );
  });
});
