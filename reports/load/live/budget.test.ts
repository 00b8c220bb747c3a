import { describe, expect, test } from "vitest";
import { chatRecord, httpError, unanswered } from "../../../tests/support/results/load-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { Budget } from "./budget.ts";

/** Prices of whole units: a token of input is 1, of a cached one 0.5, of output 2. */
const PRICES = { input: 1_000_000, cached: 500_000, output: 2_000_000, "video-second": 100 };

const SETTINGS = {
  ...{ expr: "--max-cost 1", prices: PRICES, most: 0, takesStated: true, chat: 100, video: 500, inputTokens: 7 },
  inWords: (used: number, inFlight: number) => `${used} and ${inFlight}`,
};

/** What a budget says after some records, with so many requests that are open and that have ended. */
function usedBy(records: readonly object[], counts: { readonly open: number; readonly completed?: number }, more = {}) {
  const budget = new Budget({ ...SETTINGS, ...more });
  for (const record of records) budget.add(record, 0);
  return budget.look({ completed: records.length, ...counts, t: 1, ...NO_ARRIVALS }, 0);
}
const NO_ARRIVALS = { offered: { warmup: 0, measure: 0 }, started: { warmup: 0, measure: 0 } };

// 30 input tokens, 10 output tokens of 256.
const chat = chatRecord(0, 0, "measure");
const { input_tokens: _, ...untold } = chat;
const film = (...history: readonly string[]) => videoRecords("film", ["submit@0", ...history]);
const VIDEO = { chat: 0 };

describe("what a load has used, and what is in flight at most", () => {
  test.each([
    ["nothing", [], { open: 0 }, {}, "0 and 0"],
    ["requests before the first response count as the settings have them", [], { open: 3 }, {}, "0 and 300"],
    [
      "usage that was reported, of which some was cached",
      [{ ...chat, cached_tokens: 10 }],
      { open: 0 },
      {},
      "45 and 0",
    ],
    ["an open request counts with its max_tokens", [chat], { open: 2 }, {}, "50 and 1084"],
    [
      "so does one that has ended, and is in no record that was read",
      [chat],
      { open: 0, completed: 3 },
      {},
      "50 and 1084",
    ],
    [
      "one whose record was read before that it ended is not open",
      [chat, chat],
      { open: 1, completed: 1 },
      {},
      "100 and 0",
    ],
    [
      "one without usage costs what it may at most",
      [{ ...untold, token_source: "chunks" }],
      { open: 0 },
      {},
      "519 and 0",
    ],
    [
      "an error and what never reached the target cost nothing",
      [{ ...httpError(chat), reused: true }, unanswered(chat)],
      { open: 0 },
      {},
      "0 and 0",
    ],
    [
      "embeddings cost their input",
      [{ ...chat, op: "embeddings", token_source: undefined, output_tokens: undefined, max_tokens: undefined }],
      { open: 0 },
      {},
      "30 and 0",
    ],
    ["a video task that was accepted is in flight", film("poll@1000:processing"), { open: 0 }, VIDEO, "0 and 500"],
    ["and costs what the list has when it is completed", film("poll@1000:completed"), { open: 0 }, VIDEO, "500 and 0"],
    [
      "or what the target states",
      film("poll@1000:completed").map((each) => ({ ...each, cost: 700 })),
      { open: 0 },
      VIDEO,
      "700 and 0",
    ],
    [
      "but not where tokens are counted",
      film("poll@1000:completed").map((each) => ({ ...each, cost: 700 })),
      { open: 0 },
      { ...VIDEO, takesStated: false },
      "500 and 0",
    ],
    ["one that was cancelled costs nothing", film("cancel@900", "poll@1000:cancelled"), { open: 0 }, VIDEO, "0 and 0"],
    [
      "open requests of videos are submissions as often as those before",
      film("poll@1000:completed"),
      { open: 4 },
      VIDEO,
      "500 and 1000",
    ],
    [
      "lines that are no requests count for nothing",
      [{ gaps: {} }, { arrival: {} }, null],
      { open: 0, completed: 0 },
      {},
      "0 and 0",
    ],
  ])("%s", (_name, records, counts, more, expected) => {
    expect(
      usedBy(
        records.filter((record) => record !== null),
        counts,
        more,
      ),
    ).toBe(expected);
  });

  test("end the load when the budget does not last for another second like the last one, and not before", () => {
    const inWords = (used: number, inFlight: number, next: number) => `${used}, ${inFlight} and ${next}`;
    const endedAt = (most: number) => {
      const budget = new Budget({ ...SETTINGS, most, inWords });
      for (let t = 1; t < 100; t += 1) {
        budget.add(chat, 0);
        const said = budget.look({ t, open: 1, completed: t, ...NO_ARRIVALS }, 0);
        if (said !== undefined) return [t, said];
      }
      return [];
    };
    // 50 per second, and 542 in flight.
    expect(endedAt(1_992)).toEqual([28, "1400, 542 and 50"]);
    expect(endedAt(1_993)).toEqual([29, "1450, 542 and 50"]);
    // The first second is like the one before the load.
    expect(endedAt(1_184)).toEqual([1, "50, 542 and 592"]);
    expect(endedAt(1_185)).toEqual([12, "600, 542 and 50"]);
  });

  test("are those of all load generators", () => {
    const budget = new Budget(SETTINGS);
    for (const number of [0, 1]) budget.add(chat, number);
    budget.look({ t: 1, open: 1, completed: 1, ...NO_ARRIVALS }, 0);
    expect(budget.look({ t: 1, open: 1, completed: 1, ...NO_ARRIVALS }, 1)).toBe("100 and 1084");
  });

  test("are those of all tasks, also where two targets name theirs alike", () => {
    const budget = new Budget({ ...SETTINGS, ...VIDEO });
    for (const number of [0, 1]) for (const record of film("poll@1000:processing")) budget.add(record, number);
    for (const record of film("poll@1000:completed")) budget.add(record, 1);
    expect(budget.look({ t: 1, open: 0, completed: 2, ...NO_ARRIVALS }, 0)).toBe("500 and 500");
  });
});
