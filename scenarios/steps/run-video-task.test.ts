import { describe, expect, it } from "vitest";
import { FRUITLESS_POLLS, runVideoTask, type Sighting } from "./run-video-task.ts";

const OK = { outcome: "ok" };
const ok = (task_state: string): Sighting => ({ ...OK, task_state });
const lost: Sighting = { outcome: "http_error" };

interface Story {
  readonly submitted?: Sighting;
  readonly polls?: readonly Sighting[];
  readonly cancelled?: Sighting;
  /** Waits after which the run stops. */
  readonly waits?: number;
}

/** Lives a story and tells the calls in order; polls repeat their last answer. */
function live(story: Story, toBeCancelled = false): readonly string[] {
  const told: string[] = [];
  const polls = story.polls ?? [];
  let polled = 0;
  let waited = 0;
  const calls = {
    submit: () => {
      told.push("submit");
      return story.submitted ?? { ...OK, task: "t", task_state: "processing" };
    },
    wait: () => {
      waited += 1;
      return waited <= (story.waits ?? 50);
    },
    poll: (task: string) => {
      told.push(`poll ${task}`);
      polled += 1;
      return polls[Math.min(polled, polls.length) - 1] ?? ok("processing");
    },
    cancel: (task: string) => {
      told.push(`cancel ${task}`);
      return story.cancelled ?? ok("cancelled");
    },
  };
  runVideoTask(calls, toBeCancelled);
  return told;
}

describe("the life of a video", () => {
  it.each(["completed", "failed", "cancelled"])("ends with the poll that shows it %s", (state) => {
    expect(live({ polls: [ok("processing"), ok("processing"), ok(state)] })).toEqual([
      "submit",
      "poll t",
      "poll t",
      "poll t",
    ]);
  });

  it("is over at once when the submission is refused", () => {
    expect(live({ submitted: { outcome: "http_error" } })).toEqual(["submit"]);
    expect(live({ submitted: { outcome: "contract", task: "" } })).toEqual(["submit"]);
  });

  it("stops with the run", () => {
    expect(live({ waits: 2 })).toEqual(["submit", "poll t", "poll t"]);
  });

  it("is cancelled after the first poll that shows it processing", () => {
    expect(live({ polls: [lost, ok("processing")] }, true)).toEqual(["submit", "poll t", "poll t", "cancel t"]);
  });

  it("goes on when the cancel lost the race, and is cancelled no second time", () => {
    const story = { polls: [ok("processing"), ok("processing"), ok("completed")], cancelled: lost };
    expect(live(story, true)).toEqual(["submit", "poll t", "cancel t", "poll t", "poll t"]);
  });

  it("is not cancelled when it ends before it was seen processing", () => {
    expect(live({ polls: [ok("completed")] }, true)).toEqual(["submit", "poll t"]);
  });

  it("is given up when polls in a row tell nothing", () => {
    expect(live({ polls: [lost] })).toHaveLength(1 + FRUITLESS_POLLS);
    expect(live({ polls: [lost, lost, lost, lost, ok("processing"), lost] })).toHaveLength(1 + 5 + FRUITLESS_POLLS);
  });
});
