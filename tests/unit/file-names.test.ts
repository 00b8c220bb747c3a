/** A file name means one thing in the whole repository: it says what the file is about without the folder before it. */

import { basename } from "node:path";
import { expect, test } from "vitest";
import { SHIPPED, sourcesIn } from "../support/pages/source-files.ts";

/** Names that several folders use, because they mean the same topic in each. */
const SAME_TOPIC: Readonly<Record<string, string>> = {
  index: "the entry of its folder",
  auth: "API keys: their clauses, judges and variants",
  chat: "the endpoint: its probes, route, variants, scenario and step",
  "chat-stream": "the endpoint with `stream`: its clauses, route and scenario",
  embeddings: "the endpoint: its probes, route, variants and scenario",
  video: "the endpoints of video tasks: their probes, judges, scenario and step",
  "video-submit": "the endpoint: its clauses, route and variants",
  "video-poll": "the endpoint: its clauses and route",
  "video-cancel": "the endpoint: its clauses, route and variants",
  conformance: "conformance.json, and the command that writes it",
  compare: "compare.json, and the command that writes it",
  search: "search.json, and the command that writes it",
  load: "load.json, and the command that writes it",
  history: "history.jsonl, and the command that writes it",
  "one-line": "a result in one line, per kind of result",
  mock: "the mock, and the command that starts it",
  html: "the reports of this format, per kind of result",
  junit: "the reports of this format, per kind of result",
  markdown: "the reports of this format, per kind of result",
  terminal: "the reports of this format, per kind of result",
};

const files = sourcesIn([
  ...SHIPPED,
  "bench",
  "tests/e2e",
  "tests/faults",
  "tests/fuzz",
  "tests/mutate",
  "tests/support",
]);

const filesByName = new Map<string, string[]>();
for (const file of files) {
  const name = basename(file).replace(/(\.d)?\.(ts|mjs|js)$/, "");
  filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
}
const repeated = new Map([...filesByName].filter(([, files]) => files.length > 1));

test("no two source files share a name, except for the same topic", () => {
  const offenders = [...repeated].filter(([name]) => SAME_TOPIC[name] === undefined).map(([, files]) => files);
  expect(offenders).toEqual([]);
});

test("each exception is needed", () => {
  expect(Object.keys(SAME_TOPIC).filter((name) => !repeated.has(name))).toEqual([]);
});
