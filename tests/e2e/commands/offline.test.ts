/** What works without a target: plans, replays and reports of recorded runs, the installation check. */

import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { FAILING_PROMPT } from "../../../mock-server/service/failing-prompt.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";

const CLOSED_PORT = "http://127.0.0.1:9";

test("a plan counts the requests and sends none", async () => {
  const conformance = await assay(["conformance", "--plan", "--video", "--target", CLOSED_PORT]);
  expect(conformance.stdout).toMatch(/clauses +\d{3}\n {2}requests +\d+/);
  expect(conformance.stdout).toMatch(/video tasks +\d \(at most 8\)/);
  const load = await assay([
    ...["load", "chat", "--plan", "--target", CLOSED_PORT],
    ...["--rate", "20", "--duration", "30s", "--warmup", "5s"],
  ]);
  expect(load.stdout).toMatch(/arrivals +700\n/);
  expect(load.stdout).toMatch(/max_tokens in all +179,200\n/);
  expect([conformance.code, load.code]).toEqual([0, 0]);
});

/** Every file of a folder and of those within it, with its content. */
const contentsOf = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

describe("a conformance run", () => {
  const folder = newFolder();
  let mock: MockProcess;
  beforeAll(async () => {
    mock = await startMockProcess("--timing", "instant", "--fault", "video-submit-200");
    const flags = ["--video", "--poll-interval", "20ms", "--failing-prompt", FAILING_PROMPT, "--out", folder];
    const { code, stdout } = await assay(["conformance", "--target", mock.url, ...flags]);
    expect(stdout).toContain("FAIL  video.submit.status");
    expect(stdout).toMatch(/\n {2}Request: +POST \/v1\/videos\/generations \{.*"prompt":/);
    expect(code).toBe(1);
    await mock.stop();
  });

  test("is replayed with the same verdicts without its target", async () => {
    const { code, stdout } = await assay(["replay", folder]);
    expect(stdout).toContain("All verdicts are unchanged.");
    expect(code).toBe(1);
  });

  test("can be reported again with the same views", async () => {
    const before = readFileSync(join(folder, "conformance.md"), "utf8");
    writeFileSync(join(folder, "conformance.md"), "");
    expect((await assay(["report", folder, "--format", "md"])).code).toBe(1);
    expect(readFileSync(join(folder, "conformance.md"), "utf8")).toBe(before);
  });

  test("is never overwritten: neither by its own report or replay, nor by another run", async () => {
    const before = contentsOf(folder);
    const own = "./conformance/../.";
    const refused = [
      ["report", folder, "--out", folder],
      ["report", folder, "--out", join(folder, own)],
      ["replay", folder, "--out", folder],
      ["conformance", "--target", CLOSED_PORT, "--out", folder],
      ["load", "chat", "--target", CLOSED_PORT, "--out", folder],
      ["calibrate", "--out", folder],
      ["demo", "--out", folder],
      ["mock", "--out", folder],
    ];
    const all = await Promise.all(refused.map(async (args) => ({ args: args.join(" "), ...(await assay(args)) })));
    for (const { args, code, stderr } of all) {
      expect(stderr, args).toMatch(/is not empty\. Name a new folder with --out|Cannot reach/);
      expect(code, args).toBeGreaterThan(1);
    }
    expect(contentsOf(folder)).toEqual(before);
  });

  test("with changed exchanges is replayed with the names of the verdicts that changed", async () => {
    const file = join(folder, "exchanges.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"answer":{"status":200', '"answer":{"status":202'));
    const { stdout } = await assay(["replay", folder]);
    expect(stdout).toMatch(/chat\.status\S* was PASS, is now FAIL/);
  });
});

test("a folder without a run is refused", async () => {
  const folder = newFolder();
  for (const command of ["report", "replay"]) {
    const { code, stderr } = await assay([command, folder]);
    expect(stderr).toContain("Name the result folder of a");
    expect(code).toBe(3);
  }
  appendFileSync(join(folder, "records.jsonl"), "no header\n");
  expect((await assay(["report", folder])).code).toBe(3);
});

test("doctor names what is missing and what to do", async () => {
  const bare = { PATH: newFolder(), XDG_CACHE_HOME: newFolder(), ASSAY_K6: "" };
  const { code, stdout } = await assay(["doctor"], bare);
  expect(stdout).toMatch(/k6 +none\n +→ .*Install Go 1\.26 or newer/);
  expect(stdout).toMatch(/calibration +none\n +→ assay calibrate/);
  expect(code).toBe(3);
});
