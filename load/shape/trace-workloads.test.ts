import { expect, test } from "vitest";
import { namedTrace } from "../../settings/load/arrival-process.ts";
import { workloadsOfTrace } from "./trace-workloads.ts";

const lines = (...rows: readonly object[]): string =>
  rows.map((row, at) => JSON.stringify({ timestamp: `2026-11-28T09:00:0${at}Z`, ...row })).join("\n");

const listed = (text: string, trace = "trace:day.jsonl") => {
  const replay = namedTrace(trace);
  if (replay === undefined) throw new Error("no trace");
  return workloadsOfTrace(text, replay);
};

const DAY = lines(
  { operation: "chat-stream", tenant: "Search Team", model: "m" },
  { operation: "embeddings", tenant: "Search Team", model: "e" },
  { operation: "chat-stream", tenant: "search-team", model: "m" },
  { operation: "chat-stream", tenant: "Search Team", model: "m" },
  { operation: "chat", model: "m" },
);

test("there is a workload for each tenant, operation and model, named after them", () => {
  expect(listed(DAY, "trace:day.jsonl@2,from=1s").map(({ name, tenant, arrival }) => [name, tenant, arrival])).toEqual([
    [
      "search-team-chat-stream-m",
      "Search-Team",
      "trace:day.jsonl@2,from=1s,operation=chat-stream,tenant=Search Team,model=m",
    ],
    [
      "search-team-embeddings-e",
      "Search-Team",
      "trace:day.jsonl@2,from=1s,operation=embeddings,tenant=Search Team,model=e",
    ],
    [
      "search-team-chat-stream-m-2",
      "search-team",
      "trace:day.jsonl@2,from=1s,operation=chat-stream,tenant=search-team,model=m",
    ],
    ["chat-m", undefined, "trace:day.jsonl@2,from=1s,operation=chat,model=m"],
  ]);
  expect(listed(DAY, "trace:day.jsonl,operation=chat")).toEqual([
    { name: "chat", operation: "chat", arrival: "trace:day.jsonl,operation=chat,model=m", model: "m" },
  ]);
});

test.each([
  ["line 1 states no operation", lines({ input_length: 3 })],
  ["its requests have texts", lines({ operation: "chat", text: "hello" })],
  ["the tenant a,b has a comma", lines({ operation: "chat", tenant: "a,b" })],
])("%s is said", (reason, text) => {
  expect(() => listed(text)).toThrow(reason);
});

test("a part that nothing is of is said", () => {
  expect(() => listed(DAY, "trace:day.jsonl,tenant=x")).toThrow("it has no such request");
});
