import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { chatRecord, httpError, instant, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { summarizeRun as run, summarize } from "../../../tests/support/results/summarize-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { failureTable } from "../views/failure-rows.ts";

type Change = (record: RequestRecord, index: number) => RequestRecord;

const refused = (record: RequestRecord, status: number, detail = `The target returned status ${status}.`) => ({
  ...httpError(record, status),
  detail,
});

group("failures", () => {
  test("are counted by operation, outcome and status, with the first reason and when", async () => {
    const change: Change = (record, index) => {
      if (index >= 100 && index < 160) return refused(record, 503, `busy, request ${index}`);
      if (index === 200) return { ...unanswered(record, "truncated"), detail: "The body ended early." };
      return index === 300 ? { ...record, op: "chat" } : record;
    };
    const { failures } = await run({ change });
    expect(failures).toEqual([
      {
        op: "chat.stream",
        outcome: "http_error",
        status: 503,
        count: 60,
        share: 60 / 599,
        firstS: expect.closeTo(5, 3),
        lastS: expect.closeTo(7.956, 3),
        reason: "busy, request 100",
      },
      {
        ...{ op: "chat.stream", outcome: "truncated", count: 1, share: 1 / 599, reason: "The body ended early." },
        firstS: expect.closeTo(10, 3),
        lastS: expect.closeTo(10, 2),
      },
    ]);
  });

  test("have the reason of the first, whatever the order of the records, shortened", async () => {
    const { records, client } = makeRun({
      change: (record, index) => (index > 600 ? refused(record, 500, `${index} ${"x".repeat(400)}`) : record),
    });
    const [header = "", ...lines] = records;
    const { failures } = await summarize([{ records: [header, ...lines.reverse()], client }]);
    expect(failures[0]?.reason).toMatch(/^601 x+…$/);
    expect(failures[0]?.reason).toHaveLength(160);
  });

  group("that end at one time after they were sent", () => {
    /** Every fourth request ends with an outcome, after a time by its number; the others are ok within 100 ms. */
    const ended = (outcome: RequestRecord["outcome"], afterMs: (index: number) => number, longestMs = 100) =>
      run({
        change: (record, index) =>
          index % 4 === 0
            ? { ...unanswered(record, outcome), e2e: afterMs(index) }
            : { ...record, e2e: index % 4 === 1 ? longestMs : 100 },
      });

    test("are said to, as a time limit ends them", async () => {
      const { failures } = await ended("truncated", (index) => 15_000 + (index % 3));
      expect(failures).toMatchObject([{ outcome: "truncated", afterMs: expect.closeTo(15_001, -1) }]);
      expect(failures[0]?.advice).toBe(
        "nearly all truncated requests of chat.stream ended 15 s after they were sent: look for a time limit of at most that length, at the target or before it (a proxy, a gateway)",
      );
    });

    test("are said to where the limit is short, although a busy machine scatters them", async () => {
      const { failures } = await ended("reset", (index) => 2_020 + (index % 89));
      expect(failures).toMatchObject([{ outcome: "reset", afterMs: expect.closeTo(2_104, -1) }]);
    });

    test("are not where they were sent at one time, too: then the target itself may have ended", async () => {
      const { failures } = await run({
        change: (record, index) =>
          index === 300
            ? record
            : { ...unanswered(record, "reset"), sent: instant(10_000 + (index % 3)), e2e: 15_000 + (index % 3) },
      });
      expect(failures).toMatchObject([{ outcome: "reset" }]);
      expect(failures[0]).not.toHaveProperty("afterMs");
    });

    test.each<[string, RequestRecord["outcome"], (index: number) => number, number?]>([
      ["at times that differ", "truncated", (index) => 10_000 + index * 10],
      ["soon", "truncated", () => 300],
      ["at our own time limit", "timeout", () => 15_000],
      ["sooner than an ok response", "truncated", () => 15_000, 16_000],
    ])("are not where they end %s", async (_, outcome, afterMs, longestMs) => {
      const { failures } = await ended(outcome, afterMs, longestMs);
      expect(failures).toHaveLength(1);
      expect(failures[0]).not.toHaveProperty("afterMs");
      expect(failures[0]).not.toHaveProperty("advice");
    });
  });

  test("leave out the warm-up, and what Assay cut off itself", async () => {
    const change: Change = (record, index) => {
      if (record.phase === "warmup") return refused(record, 503);
      return index > 630 ? unanswered(record, "cancelled_by_us") : record;
    };
    const { failures, warmupFailures } = await run({ change });
    expect({ failures, warmupFailures }).toMatchObject({ failures: [], warmupFailures: [{ status: 503, count: 40 }] });
    expect(warmupFailures?.[0]).not.toHaveProperty("share");
    const denied = await run({ change: (record) => (record.phase === "warmup" ? refused(record, 401) : record) });
    expect(denied.warmupFailures).toMatchObject([{ status: 401, count: 40 }]);
    expect(denied.warmupFailures?.[0]).not.toHaveProperty("advice");
    const all = await run({ change, durationS: 0 });
    expect(all.failures).toMatchObject([{ status: 503, count: 40, share: 1 }]);
    expect(all.warmupFailures).toBeUndefined();
  });

  test("leave out a cancel that was refused because its task had ended, and keep any other", async () => {
    const { records, client } = makeRun({ warmupS: 0, durationS: 4, change: () => undefined });
    const cancelled = ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:completed"];
    const ignored = ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:processing"];
    const of = (task: string, story: string[]) => videoRecords(task, story).map((record) => JSON.stringify(record));
    const lost = await summarize([{ records: [...records, ...of("a", cancelled)], client }]);
    expect(lost.failures).toEqual([]);
    for (const story of [ignored, [...ignored, "poll@3000:completed"]]) {
      const { failures } = await summarize([{ records: [...records, ...of("a", story)], client }]);
      expect(failures).toMatchObject([
        { op: "video", outcome: "task_uncancelled", count: 1, reason: expect.stringContaining("went on") },
        { op: "video.cancel", status: 409, count: 1 },
      ]);
    }
  });

  test("include video tasks that failed although every request was answered", async () => {
    const { records, client } = makeRun({ warmupS: 0, durationS: 4, change: () => undefined });
    const stories = [
      ["submit@0", "poll@1000:failed"],
      ["submit@500", "poll@1500:failed"],
      ["submit@700", "poll@1500:completed"],
    ];
    const lines = stories.flatMap((story, task) => videoRecords(`t${task}`, story)).map((line) => JSON.stringify(line));
    const { failures } = await summarize([{ records: [...records, ...lines], client }]);
    expect(failures).toMatchObject([
      { op: "video", outcome: "task_failed", count: 2, firstS: 0, reason: "The task ended with the status failed." },
    ]);
  });

  test("leave out what clean-up could not cancel", async () => {
    const { records, client } = makeRun({ warmupS: 0, durationS: 4 });
    const late = videoRecords("a", ["cancel@70000:409"]).map((record) => ({ ...record, cancel_reason: "clean_up" }));
    const lines = late.map((record) => JSON.stringify(record));
    expect((await summarize([{ records: [...records, ...lines], client }])).failures).toEqual([]);
  });

  test("include arrivals that no request tells of, but not those that we cut off", async () => {
    const { records, client } = makeRun();
    const ends = ["threw", "threw", "not_started", "unfinished"].map((end, index) =>
      JSON.stringify({
        arrival: {
          ...{ index, phase: "measure", scheduled: instant(5_000 + index * 1_000), end },
          ...(end === "threw" && { detail: `TypeError ${index}` }),
        },
      }),
    );
    const { failures } = await summarize([{ records: [...records, ...ends], client }]);
    expect(failures).toEqual([
      { op: "arrival", outcome: "threw", count: 2, share: 2 / 604, firstS: 5, lastS: 6, reason: "TypeError 0" },
      { op: "arrival", outcome: "not_started", count: 1, share: 1 / 604, firstS: 7, lastS: 7 },
    ]);
  });
});

test("a scenario that threw on every arrival is explained although nothing was sent", async () => {
  const { records, client } = makeRun({ warmupS: 0, durationS: 1, change: () => undefined });
  const threw = Array.from({ length: 20 }, (_, index) =>
    JSON.stringify({
      arrival: { index, phase: "measure", scheduled: instant(index * 50), end: "threw", detail: "TypeError: x" },
    }),
  );
  const { failures } = await summarize([{ records: [...records, ...threw], client }]);
  expect(failures).toMatchObject([{ op: "arrival", outcome: "threw", count: 20, share: 1, reason: "TypeError: x" }]);
});

group("a target that refused every request", () => {
  const every = (status: number, settings = "", detail?: string) => {
    const change: Change = (record) => refused(record, status, detail);
    const { records, client } = makeRun({ warmupS: 0, durationS: 1, change });
    const [header = "", ...lines] = records;
    return summarize([{ records: [header.replace('"rate":', `${settings}"rate":`), ...lines], client }]);
  };

  test.each([401, 403])("with %i: exit 2, check the key", async (status) => {
    const { exitCode, conclusion } = await every(status);
    expect(exitCode).toBe(2);
    expect(conclusion).toMatch(new RegExp(`^every request was rejected \\(${status} \\w+ ×20\\): check the API key`));
    expect(conclusion).toContain("ASSAY_API_KEY");
    expect(conclusion).toContain("--api-key-env");
  });

  test("with 404: exit 2, check the base address and the model", async () => {
    const { exitCode, conclusion, failures } = await every(404, '"chatModel":"llama",');
    expect(exitCode).toBe(2);
    const advice =
      "check the base address, --target http://127.0.0.1:8080, to which /v1/… is added, and the model, --chat-model llama";
    expect(conclusion).toBe(`every request was rejected (404 not found ×20): ${advice}`);
    expect(failures).toMatchObject([{ status: 404, count: 20, share: 1, advice }]);
  });

  test("with 404 for a model that the target names: correct the model alone", async () => {
    const settings = '"chatModel":"llama",';
    const told = "The target returned status 404. The model `llama` does not exist.";
    const { failures } = await every(404, settings, told);
    expect(failures).toMatchObject([{ advice: "the target does not know the model: correct --chat-model llama" }]);
    const { failures: other } = await every(404, settings, "The target returned status 404. No route for llama.");
    expect(other).toMatchObject([{ advice: expect.stringContaining("check the base address") }]);
  });

  test.each<[string, Change]>([
    ["one response", (record, index) => (index === 30 ? record : refused(record, 401))],
    ["one other error", (record, index) => (index === 30 ? httpError(record, 500) : refused(record, 401))],
    ["another status altogether", (record) => refused(record, 400)],
  ])("is not one with %s, also of the warm-up", async (_, change) => {
    const { exitCode, refused } = await run({ warmupS: 2, durationS: 2, change });
    expect([exitCode, refused]).toEqual([1, undefined]);
  });

  test("is one although some requests had no response", async () => {
    const change: Change = (record, index) => (index === 30 ? unanswered(record) : refused(record, 401));
    expect((await run({ durationS: 2, change })).exitCode).toBe(2);
  });

  test("in a run that was interrupted: that is said first", async () => {
    const { records, client } = makeRun({ durationS: 2, change: (record) => refused(record, 401) });
    const stopped = client.map((line) => line.replace('"final":true', '"final":true,"stopped":"interrupted"'));
    const { conclusion } = await summarize([{ records, client: stopped }]);
    expect(conclusion).toMatch(/^the run was interrupted; every request was rejected/);
  });
});

group("advice on one operation", () => {
  const about = (detail: string, share: number) =>
    run({ durationS: 2, change: (record, index) => (index % share === 0 ? refused(record, 400, detail) : record) });

  test("says to leave out usage when all chats are refused for it", async () => {
    const { failures, exitCode } = await about('The target returned status 400. {"error":"unknown stream_options"}', 1);
    expect(failures).toMatchObject([{ advice: expect.stringContaining("repeat with --set no-usage") }]);
    expect(exitCode).toBe(1);
  });

  test("is not given when some are answered, or for another reason", async () => {
    const [some, other] = [await about("unknown stream_options", 2), await about("unknown max_tokens", 1)];
    expect([...some.failures, ...other.failures].map(({ advice }) => advice)).toEqual([undefined, undefined]);
  });

  test("is given of inputs that are too long although others are answered", async () => {
    const { failures } = await about("The target returned status 400. This model's maximum context length is 2048", 2);
    expect(failures).toMatchObject([{ advice: expect.stringContaining("--input-tokens") }]);
  });

  test("is given for one operation of several", async () => {
    const change: Change = (record, index) =>
      index % 2 === 0 ? refused({ ...record, op: "embeddings" }, 404) : { ...chatRecord(index, index * 50, "measure") };
    const { failures, refused: all } = await run({ warmupS: 0, durationS: 2, change });
    const advice =
      "other requests are served at this address: leave embeddings out if the target has none, or correct the model, --embedding-model";
    expect(failures).toMatchObject([{ op: "embeddings", advice }]);
    expect(all).toBeUndefined();
  });
});

test.each<[string, (index: number) => string, number, string | undefined]>([
  [
    "of one address of two",
    (index) => `10.0.0.${1 + (index % 2)}:80`,
    2,
    "By address: 10.0.0.1:80 300 of 300 requests failed; 10.0.0.2:80 0 of",
  ],
  ["of both alike", (index) => `10.0.0.${1 + (index % 2)}:80`, 3, undefined],
  ["of the only one", () => "10.0.0.1:80", 2, undefined],
])("failures %s are told apart by address where they differ", async (_, address, every, says) => {
  const result = await run({
    change: (record, index) => ({ ...(index % every === 0 ? httpError(record) : record), address: address(index) }),
  });
  const remarks = failureTable(result)?.remarks.filter((each) => each.startsWith("By address")) ?? [];
  expect(remarks).toEqual(says === undefined ? [] : [expect.stringContaining(says)]);
});
