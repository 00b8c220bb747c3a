import { describe, expect, test } from "vitest";
import { type RunResult, runResult } from "../formats/run.ts";
import type { SearchResult } from "../formats/search.ts";
import { httpError } from "../tests/support/results/load-run.ts";
import { clauseOf, resultOfClauses } from "../tests/support/results/made-results.ts";
import { summarizeRun } from "../tests/support/results/summarize-run.ts";
import { afterComparison, afterConformance, afterLoad, afterSearch } from "./next-command.ts";

const FAILED = ["chat.a", "video.b", "chat.c", "chat.d"].map((id) => clauseOf(id, { verdict: "FAIL" }));

describe("after a conformance run", () => {
  test.each([
    [
      "a target that conforms is loaded",
      [clauseOf("chat.a")],
      "assay load chat-stream --target http://t --rate 5 --duration 1m",
    ],
    [
      "what failed is checked again, the first of many",
      FAILED,
      "assay conformance --target http://t --video --only chat.a,video.b,chat.c",
    ],
    ["an inconclusive run has its reason only", [clauseOf("chat.a", { verdict: "INCONCLUSIVE" })], undefined],
  ])("%s", (_, clauses, command) => {
    expect(afterConformance(resultOfClauses(clauses))).toBe(command);
  });
  test("the next command reaches the target and knows the clauses as the run did", () => {
    const flags = {
      target: "http://t",
      caFile: "my ca.pem",
      header: "x-provider=PROVIDER,x-host=HOST",
      apiKeyEnv: "KEY",
      config: "team.yaml",
      pollInterval: "1s",
      profile: "openai",
      only: "chat",
      require: "chat",
      name: "nightly",
      quiet: true,
    };
    const reached = "--ca-file 'my ca.pem' --api-key-env KEY --config team.yaml";
    const conforms = afterConformance(resultOfClauses([clauseOf("chat.a")]), flags);
    expect(sorted(conforms)).toEqual(
      sorted(`assay load chat-stream --target http://t --rate 5 --duration 1m --header ${flags.header} ${reached}`),
    );
    const failed = { ...resultOfClauses(FAILED.slice(0, 1)), settings: { profile: "openai" } };
    expect(sorted(afterConformance(failed, flags))).toEqual(
      sorted(
        `assay conformance --target http://t --profile openai --header ${flags.header} ${reached} --poll-interval 1s --only chat.a`,
      ),
    );
  });
});

/** The parts of a command, in any order. */
const sorted = (command = ""): string[] => command.split(" --").sort();

describe("after a load", () => {
  const good = summarizeRun();
  const changed = async (more: Partial<RunResult>): Promise<RunResult> =>
    runResult.parse({ ...(await good), target: "http://t", ...more });
  const missed = [{ expr: "ttft_p95<1ms", observed: 100, ok: false }];

  test("failed requests are shown, whatever else went wrong", async () => {
    const run = await summarizeRun({ change: (record, index) => (index % 10 === 0 ? httpError(record) : record) });
    expect(afterLoad({ ...run, slos: missed }, "out/a b")).toBe("assay show 'out/a b' --failed");
  });
  test("slow ones are, after a missed objective", async () => {
    expect(afterLoad(await changed({ slos: missed, exitCode: 1 }), "out/a")).toBe("assay show out/a --slowest 20");
  });
  test("the machine is measured after a run that its load generator limited", async () => {
    const validity = { verdict: "CLIENT-LIMITED" as const, reasons: ["late"], lateness: [] };
    expect(afterLoad(await changed({ validity, exitCode: 2, slos: missed }), "out/a")).toBe("assay calibrate");
  });
  test("the limit is searched once objectives are met", async () => {
    const run = await changed({ settings: { rate: 20, slo: ["ttft_p95<800ms"] }, exitCode: 0 });
    expect(afterLoad(run, "out/a")).toBe(
      `assay search ${run.scenario} --target http://t --slo 'ttft_p95<800ms' --rate 20 --max 200`,
    );
  });
  test("the search loads what the run did", async () => {
    const run = await changed({ settings: { rate: 20, slo: ["ttft_p95<800ms"] }, exitCode: 0 });
    const flags = { rate: "20", slo: "ttft_p95<800ms", maxTokens: "40", insecure: true, out: "out/a", stall: "5s" };
    expect(sorted(afterLoad(run, "out/a", flags))).toEqual(
      sorted(
        `assay search ${run.scenario} --target http://t --slo 'ttft_p95<800ms' --rate 20 --max 200 --insecure --max-tokens 40 --set stall=5s`,
      ),
    );
  });
  test("without an objective of its own, or with a changing rate, it is compared", async () => {
    const command = "assay compare out/a DIR_OF_ANOTHER_RUN --max-regression 5%";
    expect(afterLoad(await changed({ settings: { rate: 20 }, exitCode: 0 }), "out/a")).toBe(command);
    const ramp = { rate: "1..20", slo: ["ttft_p95<800ms"] };
    expect(afterLoad(await changed({ settings: ramp, exitCode: 0 }), "out/a")).toBe(command);
  });
  test("nothing follows a run that its user ended, or that decided too little", async () => {
    expect(afterLoad(await changed({ interrupted: true }), "out/a")).toBeUndefined();
    expect(afterLoad(await changed({ exitCode: 2 }), "out/a")).toBeUndefined();
  });
});

const search = (more: Partial<SearchResult>): SearchResult => ({
  schema: "assay.search/1",
  tool: "assay 0.1.0",
  target: "http://t",
  scenario: "chat",
  startedAt: "2026-01-01T00:00:00Z",
  unit: "rate",
  range: { first: 1, min: 1, max: 200, tolerance: 0.1 },
  settings: {},
  slos: ["e2e_p95<1s"],
  steps: [],
  found: { rate: 52.5 },
  bracket: { met: 52.5, missed: 60 },
  limitedBy: "target",
  state: "ended",
  exitCode: 0,
  conclusion: "",
  ...more,
});

describe("after a search", () => {
  test.each([
    [{}, "assay load chat --target http://t --rate 42 --duration 5m --slo 'e2e_p95<1s'"],
    [{ found: { vus: 8 } }, "assay load chat --target http://t --vus 6 --duration 5m --slo 'e2e_p95<1s'"],
    [{ limitedBy: "client" as const }, "assay calibrate"],
    [{ state: "interrupted" as const }, "assay search chat --target http://t --slo 'e2e_p95<1s' --resume out/search"],
    [{ found: null }, undefined],
  ])("%j", (more, command) => {
    expect(afterSearch(search(more), "out/search")).toBe(command);
  });
});

test("a search is resumed, and its limit is loaded, as it was searched", () => {
  const flags = {
    rate: "5",
    slo: "e2e_p95<1s",
    workload: "team.yaml",
    clientCert: "me.pem",
    duration: "20s",
    max: "90",
  };
  const resumed = afterSearch(search({ state: "interrupted" }), "out/search", flags);
  expect(sorted(resumed)).toEqual(
    sorted(
      "assay search --target http://t --slo 'e2e_p95<1s' --resume out/search --rate 5 --workload team.yaml --client-cert me.pem --duration 20s --max 90",
    ),
  );
  expect(sorted(afterSearch(search({}), "out/search", flags))).toEqual(
    sorted(
      "assay load --target http://t --rate 42 --duration 5m --slo 'e2e_p95<1s' --workload team.yaml --client-cert me.pem",
    ),
  );
});

test("the requests of the run that became worse are shown after a comparison", () => {
  const run = { dir: "out/new", target: "http://t", startedAt: "", units: 1, validity: "VALID" as const };
  const runs = { base: [], new: [run] };
  expect(afterComparison({ exitCode: 1, runs })).toBe("assay show out/new --slowest 20");
  expect(afterComparison({ exitCode: 0, runs })).toBeUndefined();
});
