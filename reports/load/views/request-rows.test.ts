import { expect, test } from "vitest";
import { readInstant } from "../../../settings/instants.ts";
import { chatRecord, httpError, instant } from "../../../tests/support/results/load-run.ts";
import { notableOf } from "../read/notable-requests.ts";
import { requestCsv, requestTable, requestTimeline, sparkline } from "./request-rows.ts";

const ORIGIN = readInstant(instant(0));
const record = chatRecord(1, 1_000, "measure");
const timeline = (change: Partial<typeof record> = {}) =>
  Object.fromEntries(requestTimeline({ ...record, ...change }, ORIGIN));

test("a request is shown from when it was due to its end", () => {
  const gaps_us = [20_000, 20_000, 3_500_000, 20_000];
  expect(timeline({ gaps_us, chunks: 5, slot_wait: 12, turn: 2, turns: 4, model: "m" })).toMatchObject({
    operation: "chat.stream, in the phase measure",
    outcome: "ok",
    due: "at 1.000 s of the run",
    sent: "at 1.000 s, after 12.00 ms without a free slot",
    connection: "used before",
    headers: expect.stringMatching(/^after 4\d\.\d+ ms, status 200$/),
    chunks: "5, gaps of 20.00 ms (median) to 3,500 ms",
    gaps: "▁▁█▁",
    stalls: "3,500 ms after chunk 3",
    turn: "2 of 4",
    model: "m",
  });
});

test("a new connection is shown with its address and its phases, and one that failed with its address", () => {
  const made = { reused: false, address: "10.0.0.7:443", lookup: 2, connect: 10, tls: 30 };
  expect(timeline(made).connection).toBe("new, to 10.0.0.7:443, look-up 2.00 ms, connect 10.00 ms, TLS 30.00 ms");
  expect(timeline({ reused: undefined, address: "10.0.0.7:443" }).connection).toBe("to 10.0.0.7:443");
});

test("what was not measured is not there", () => {
  expect(
    Object.keys(timeline({ gaps_us: [], chunks: undefined, outcome: "stalled", detail: "Nothing came." })),
  ).toEqual(expect.arrayContaining(["reason"]));
  expect(timeline({ gaps_us: [] })).not.toHaveProperty("gaps");
  expect(timeline()).not.toHaveProperty("video task");
});

test("gaps of a long stream fit a line, and none of the long ones is lost", () => {
  const gaps_us = Array.from({ length: 10_000 }, (_, index) => (index === 7_777 ? 900_000 : 1_000));
  const { gaps = "" } = timeline({ gaps_us });
  expect([gaps.length, gaps.indexOf("█")]).toEqual([60, 46]);
});

test("a list leaves out what none of its requests has; a spreadsheet takes no cell for a formula", () => {
  const requests = [record, httpError({ ...record, id: '=1+"2"' })].map((each) => notableOf(each, ORIGIN));
  const { head, rows } = requestTable(requests);
  expect(head).not.toContain("workload");
  expect(rows.map((row) => row[head.indexOf("outcome")])).toEqual(["", "500 internal server error"]);
  const [names, , failed] = requestCsv(requests).split("\n");
  expect(names).toMatch(/^id,op,outcome,sentS,status,/);
  expect(failed).toMatch(/^"'=1\+""2""",chat\.stream,http_error,1\.00025,500,/);
});

test("more gaps than a call takes arguments are drawn", () => {
  expect(sparkline(new Array<number>(9_000_000).fill(1_000))).toBe("█".repeat(60));
});

test.each([
  ["=1+1", "'=1+1"],
  ["-1+cmd|x!A0", "'-1+cmd|x!A0"],
  [" +1", "' +1"],
  ["＝4+4", "'＝4+4"],
  ["\t@x", `"'\t@x"`],
  ["a;=2", `"a;=2"`],
  ["a\t=2", `"a\t=2"`],
  ["-1.5e-7", "-1.5e-7"],
])("the id %j is a text in every spreadsheet", (id, cell) => {
  const [, line = ""] = requestCsv([{ ...notableOf(record, ORIGIN), id }]).split("\n");
  expect(line.slice(0, cell.length + 1)).toBe(`${cell},`);
});
