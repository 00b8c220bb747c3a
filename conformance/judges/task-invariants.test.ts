/** Task invariants over random histories: a legal one raises nothing, and each single change that breaks it raises its clause. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  legalHistories,
  type Moment,
  recorded,
  type TaskHistories,
} from "../../tests/support/results/random-task-histories.ts";
import { badOnes, counted } from "../../tests/support/targets/judge-target.ts";
import { loadClauses } from "../engine/load-clauses.ts";
import { evaluateRecorded } from "../engine/recorded-run.ts";
import { violationsOf } from "./task-invariants.ts";

const clauses = (await loadClauses()).filter(({ probes }) => probes[0].kind === "task");
const judge = (histories: TaskHistories) =>
  evaluateRecorded(clauses, recorded(histories), { keyGiven: true, failingPrompt: true });
const RUNS = { numRuns: 60 };

test("a legal history raises nothing, whatever the target chose where it may", async () => {
  await fc.assert(
    fc.asyncProperty(legalHistories, async (histories) => {
      const verdicts = await judge(histories);
      expect(badOnes(verdicts)).toEqual([]);
      expect(counted(verdicts).PASS).toBeGreaterThan(40);
    }),
    RUNS,
  );
});

test("no invariant is violated in a legal history", () => {
  fc.assert(
    fc.property(legalHistories, (histories) => {
      expect(violationsOf(recorded({ complete: histories.complete, cancel: [], fail: [] }))).toEqual([]);
      expect(violationsOf(recorded({ complete: [], cancel: histories.cancel, fail: [] }))).toEqual([]);
      expect(violationsOf(recorded({ complete: [], cancel: [], fail: histories.fail }))).toEqual([]);
    }),
    RUNS,
  );
});

test("a cancel that is refused after one without a response tells nothing of a task that is cancelled", () => {
  fc.assert(
    fc.property(legalHistories, ({ cancel }) => {
      const history = recorded({ complete: [], cancel, fail: [] });
      const place = history.findIndex(({ request }) => request.url.endsWith("/cancel"));
      const { answer, ...lost } = history[place] ?? history[0] ?? expect.fail("a history has exchanges");
      fc.pre(place > 0 && answer !== undefined);
      const refused = { ...lost, ...(answer && { answer: { ...answer, status: 409, body: "{}" } }) };
      const works = (...cancels: typeof history) =>
        violationsOf(history.toSpliced(place, 1, ...cancels)).filter(({ invariant }) => invariant === "cancel-works");
      expect(works(lost, refused)).toEqual([]);
      expect(works({ ...refused, resent: true })).toEqual([]);
      expect(works(refused)).toHaveLength(1);
    }),
    RUNS,
  );
});

type Fits = (moment: Moment, index: number, history: readonly Moment[]) => boolean;
interface Damage {
  readonly name: string;
  readonly history: keyof TaskHistories;
  /** Which moments it can strike. */
  readonly fits: Fits;
  readonly strike: (moment: Moment) => Moment;
  readonly raises: string;
}

const says =
  (state: string): Fits =>
  ({ part, body }) =>
    part === "poll" && body["status"] === state;
const isPoll: Fits = ({ part }) => part === "poll";
const isSubmit: Fits = ({ part }) => part === "submit";
const isFirstCancel: Fits = ({ part }, index, history) =>
  part === "cancel" && history.findIndex((moment) => moment.part === "cancel") === index;
const secondSaying =
  (state: string): Fits =>
  (moment, index, history) =>
    says(state)(moment, index, history) && history.slice(0, index).some((earlier) => says(state)(earlier, 0, history));

const set =
  (members: Readonly<Record<string, unknown>>) =>
  (moment: Moment): Moment => ({ ...moment, body: { ...moment.body, ...members } });
const lacking =
  (name: string) =>
  (moment: Moment): Moment => ({
    ...moment,
    body: Object.fromEntries(Object.entries(moment.body).filter(([member]) => member !== name)),
  });
const status =
  (code: number) =>
  (moment: Moment): Moment => ({ ...moment, status: code });

const damage = (
  history: keyof TaskHistories,
  name: string,
  fits: Fits,
  strike: Damage["strike"],
  raises: string,
): Damage => ({
  history,
  name,
  fits,
  strike,
  raises,
});

const OTHER = { id: "another task altogether" };
const RUNNING = { status: "processing", progress: 3 };
const DAMAGES: readonly Damage[] = [
  damage("complete", "another id in a poll", isPoll, set(OTHER), "video.poll.id.same"),
  damage("cancel", "another id in the response to cancel", isFirstCancel, set(OTHER), "video.cancel.id.same"),
  damage("complete", "no id in a poll", isPoll, lacking("id"), "video.poll.id"),
  damage("complete", "a state that there is not", isPoll, set({ status: "done" }), "video.poll.status.value"),
  damage("complete", "no state", isPoll, lacking("status"), "video.poll.status"),
  damage("complete", "a poll with 201", isPoll, status(201), "video.poll.http-status"),
  damage("cancel", "a poll of a cancelled task with 404", isPoll, status(404), "video.poll.http-status"),
  damage("fail", "a poll of a failed task with 500", says("failed"), status(500), "video.poll.failed.http-status"),
  damage("complete", "a submission with 200", isSubmit, status(200), "video.submit.status"),
  damage("complete", "no model", isSubmit, lacking("model"), "video.submit.response.model"),
  damage("complete", "no created_at", isSubmit, lacking("created_at"), "video.submit.response.created_at"),
  damage("complete", "done at once", isSubmit, set({ status: "completed" }), "video.submit.response.status.value"),
  damage("complete", "no progress", says("processing"), lacking("progress"), "video.poll.processing.progress"),
  damage("complete", "half of a percent", says("processing"), set({ progress: 0.5 }), "video.poll.processing.progress"),
  damage("complete", "no address", says("completed"), lacking("video_url"), "video.poll.completed.video_url"),
  damage("complete", "no usage", says("completed"), lacking("usage"), "video.poll.completed.usage"),
  damage("complete", "no cost", says("completed"), set({ usage: {} }), "video.poll.completed.usage.total_cost"),
  damage("fail", "no error", says("failed"), lacking("error"), "video.poll.failed.error"),
  damage("fail", "no code", says("failed"), set({ error: { message: "m" } }), "video.poll.failed.error.code"),
  damage(
    "fail",
    "another code",
    says("failed"),
    set({ error: { message: "m", code: "oops" } }),
    "video.poll.failed.content_filter",
  ),
  damage("complete", "an early address", says("processing"), set({ video_url: "x:" }), "video.poll.contradiction"),
  damage("complete", "an error beside success", says("completed"), set({ error: {} }), "video.poll.contradiction"),
  damage(
    "complete",
    "a completed task that runs again",
    (moment, index, history) =>
      secondSaying("completed")(moment, index, history) && history.slice(index).some(({ part }) => part === "cancel"),
    set(RUNNING),
    "video.poll.completed.stays",
  ),
  damage("fail", "a failed task that runs again", secondSaying("failed"), set(RUNNING), "video.poll.failed.stays"),
  damage(
    "fail",
    "a failed task that completes",
    secondSaying("failed"),
    set({ status: "completed" }),
    "video.poll.failed.stays",
  ),
  damage(
    "cancel",
    "a cancelled task that completes",
    says("cancelled"),
    set({ status: "completed" }),
    "video.cancel.stays",
  ),
  damage("cancel", "a cancelled task that runs on", says("cancelled"), set(RUNNING), "video.cancel.stays"),
  damage("cancel", "a cancel that is refused", isFirstCancel, status(409), "video.cancel.works"),
  damage("cancel", "a cancel with 202", isFirstCancel, status(202), "video.cancel.status"),
  damage("cancel", "a cancel that says processing", isFirstCancel, set(RUNNING), "video.cancel.response.status.value"),
  damage(
    "complete",
    "a completed task that is cancelled",
    isFirstCancel,
    (moment) => ({ ...moment, status: 200, body: { status: "cancelled" } }),
    "video.cancel.completed",
  ),
  damage(
    "complete",
    "a completed task that a cancel moves",
    (moment, index, history) =>
      says("completed")(moment, index, history) && history.slice(0, index).some(({ part }) => part === "cancel"),
    set({ status: "cancelled" }),
    "video.cancel.completed",
  ),
  damage(
    "complete",
    "a cancel of a completed task that returns success",
    isFirstCancel,
    (moment) => ({ ...moment, status: 200, body: { status: "completed" } }),
    "video.cancel.completed.refused",
  ),
];

describe("one damage raises its clause", () => {
  for (const { name, history, fits, strike, raises } of DAMAGES) {
    test(`${name}: ${raises}`, async () => {
      await fc.assert(
        fc.asyncProperty(legalHistories, fc.nat(), async (histories, choice) => {
          const places = histories[history].flatMap((moment, index) =>
            fits(moment, index, histories[history]) ? [index] : [],
          );
          fc.pre(places.length > 0);
          const place = places[choice % places.length];
          const struck = histories[history].map((moment, index) => (index === place ? strike(moment) : moment));
          const verdicts = await judge({ ...histories, [history]: struck });
          expect(verdicts.get(raises)?.verdict).toMatch(/^(FAIL|WARN)$/);
        }),
        // The place of a damage is all that chance decides.
        { numRuns: 20 },
      );
    });
  }
});

test("a poll that fails says nothing of the state of its task", async () => {
  const gateway = { status: 502, body: { error: { message: "bad gateway" } } };
  for (const clause of ["video.cancel.completed", "video.poll.completed.stays", "video.poll.contradiction"])
    await fc.assert(
      fc.asyncProperty(legalHistories, fc.nat(), async (histories, choice) => {
        const places = histories.complete.flatMap(({ part }, index) => (part === "poll" ? [index] : []));
        fc.pre(places.length > 0);
        const place = places[choice % places.length];
        const complete = histories.complete.map((moment, index) =>
          index === place ? { ...moment, ...gateway } : moment,
        );
        expect((await judge({ ...histories, complete })).get(clause)?.verdict).not.toMatch(/^(FAIL|WARN)$/);
      }),
      { numRuns: 20 },
    );
});
