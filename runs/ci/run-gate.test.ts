import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { gateResultsIn } from "./gate-folder.ts";
import { type Gate, runGate, wordsOf } from "./run-gate.ts";

test.each([
  ["", []],
  [" load  chat-stream ", ["load", "chat-stream"]],
  ["--slo 'ttft_p95<800ms' --rate 20", ["--slo", "ttft_p95<800ms", "--rate", "20"]],
  ['--abort-on="error_rate>20% over 10s"', ["--abort-on=error_rate>20% over 10s"]],
  ["a\\ b $HOME `id` ''", ["a b", "$HOME", "`id`", ""]],
  ["--rate 20\n--duration 30s", ["--rate", "20", "--duration", "30s"]],
])("the words of %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test("a quote that is not closed is an error", () => {
  expect(() => wordsOf("--slo 'ttft")).toThrow("a quote is not closed");
});

const gateOf = (more: Partial<Gate>): Gate => ({
  ...{ command: "load chat-stream", args: "", target: "", baseline: "", maxRegression: "", failOn: "" },
  folder: newFolder(),
  ...more,
});

test.each([
  [{ command: "report" }, '"report" is not one of'],
  [
    { command: "search chat", baseline: "out/main" },
    "--baseline is of assay load and conformance, and the command is search",
  ],
  [
    { command: "conformance", maxRegression: "5%" },
    "--max-regression is of assay load, and the command is conformance",
  ],
  [{ failOn: "warn" }, "--fail-on is of assay conformance, and the command is load"],
  [{ maxRegression: "5 percent" }, 'Cannot read --max-regression: "5 percent" is not a limit'],
  [{ maxRegression: "latency=5%" }, "Cannot read --max-regression: "],
  [{ baseline: "https://base.example", args: "--slo 'ttft" }, "a quote is not closed"],
])("%j is refused before anything runs, and its folder says that there is no verdict", async (more, reason) => {
  const gate = gateOf(more);
  await expect(runGate(gate, {})).rejects.toThrow(reason);
  expect(readdirSync(gate.folder)).toEqual(["not-run.txt"]);
  expect(gateResultsIn(gate.folder).notRun).toContain(reason);
});
