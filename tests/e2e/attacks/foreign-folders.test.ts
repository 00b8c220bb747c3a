/** A folder that somebody else made decides neither where a secret goes, nor what runs, nor which file is read or written. */

import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { planSearch } from "../../../runs/search/plan-search.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";

/** What was received by a target, of which the user knows nothing. */
const received: string[] = [];
const server = createServer(({ url, headers }, response) => {
  received.push(`${url} ${JSON.stringify(headers)}`);
  response.end("{}");
});
const ENV = { ASSAY_API_KEY: "a-secret-key-of-mine" };
let foreign = "";

beforeAll(async () => {
  foreign = await listenOnLoopback(server);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received.length = 0;
});

describe("clean-up", () => {
  const accepted = (task: string) => `${JSON.stringify({ event: "accepted", id: "1", task })}\n`;

  /** A folder of a run against the foreign target. */
  function folderOf(tasks: string): string {
    const folder = newFolder();
    const header = { schema: "assay.verdicts/1", target: foreign, startedAt: "2026-01-02T03:04:05Z", clauses: [] };
    writeFileSync(join(folder, "verdicts.jsonl"), `${JSON.stringify(header)}\n`);
    writeFileSync(join(folder, "tasks.jsonl"), tasks);
    return folder;
  }

  test("sends nothing to a target that only the folder names, and says how to go on", async () => {
    const folder = folderOf(accepted("t-1"));
    for (const flags of [[], ["--target", "http://127.0.0.1:9"]]) {
      const { code, stderr } = await assay(["clean-up", folder, ...flags], ENV);
      expect([code, received]).toEqual([2, []]);
      expect(stderr).toContain(`the folder names the target ${foreign}`);
      expect(stderr).toContain("name it with --target");
    }
  });

  test("cancels at a target that its user names too, and sends no id that held a secret", async () => {
    const folder = folderOf(accepted("t-1") + accepted("t-<redacted>"));
    const { code, stdout, stderr } = await assay(["clean-up", folder], { ...ENV, ASSAY_TARGET: foreign });
    expect([code, stdout]).toEqual([2, `1 video task of ${foreign} ended, by a cancel or before it.\n`]);
    expect(received.map((line) => line.split(" ")[0])).toEqual(["/v1/videos/generations/t-1/cancel"]);
    expect(stderr).toContain(
      "Video task t-<redacted> could not be cancelled and may still run. An id that holds a secret",
    );
  });

  test("does not follow a journal that is a link", async () => {
    const [folder, outside] = [folderOf(""), join(newFolder(), "outside")];
    writeFileSync(outside, accepted("t-1"));
    rmSync(join(folder, "tasks.jsonl"));
    symlinkSync(outside, join(folder, "tasks.jsonl"));
    const { code, stderr } = await assay(["clean-up", folder, "--target", foreign], ENV);
    expect([code, received, readFileSync(outside, "utf8")]).toEqual([3, [], accepted("t-1")]);
    expect(stderr).toContain("is a symbolic link");
  });
});

test("a search that is resumed runs no scenario of its folder, at no target of it", async () => {
  const folder = newFolder();
  const own = join(folder, "own.js");
  writeFileSync(own, `import http from "k6/http"; export default () => http.get("${foreign}/" + __ENV.ASSAY_API_KEY);`);
  const plan = planSearch(own, { target: foreign, slo: "e2e_p95<1s", rate: "5" }, { env: {} });
  const { first, min, max, tolerance } = plan.space;
  const search = {
    ...{ schema: "assay.search/1", tool: "assay", target: foreign, scenario: own, startedAt: "2026-01-02T03:04:05Z" },
    ...{ unit: "rate", range: { first, min, max, tolerance }, settings: plan.texts, slos: plan.slos, steps: [] },
    ...{ found: null, bracket: { met: null, missed: null }, limitedBy: null, state: "interrupted", exitCode: 2 },
    conclusion: "the search was interrupted",
  };
  const text = JSON.stringify(search);
  writeFileSync(join(folder, "search.json"), text);
  for (const args of [[], ["chat", "--target", "http://127.0.0.1:9"], ["chat", "--target", foreign]]) {
    const { code, stderr } = await assay(["search", ...args, "--resume", folder], ENV);
    expect([code, received], stderr).toEqual([3, []]);
    expect(stderr).toContain(`Cannot resume the search in ${folder}`);
  }
  expect(readFileSync(join(folder, "search.json"), "utf8")).toBe(text);
});

describe("an assay.yaml in the folder that a command runs in", () => {
  const check = ["conformance", "--only", "chat.status", "--out", "out"];

  test("sends no variable that is not for Assay", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "assay.yaml"), `target: ${foreign}\nheader: x-key=AWS_SECRET\n`);
    const { code, stderr } = await assay(check, { ...ENV, AWS_SECRET: "aws-secret" }, cwd);
    expect([code, received]).toEqual([3, []]);
    expect(stderr).toContain("header names the environment variable AWS_SECRET");
    const named = await assay([...check, "--config", "assay.yaml"], { ...ENV, AWS_SECRET: "aws-secret" }, cwd);
    expect([named.stderr, received.length > 0]).toEqual([expect.not.stringContaining("found in this folder"), true]);
  });

  test("reads no file outside its folder", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "assay.yaml"), `target: ${foreign}\nprompts: /etc/passwd\n`);
    const { code, stderr } = await assay(["load", "chat", "--duration", "1s"], ENV, cwd);
    expect([code, received]).toEqual([3, []]);
    expect(stderr).toContain("prompts names /etc/passwd, which is outside its folder");
  });

  test("is said to be the source of the target and the headers, first and without values", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "assay.yaml"), `target: ${foreign}\nheader: x-team=ASSAY_TEAM\n`);
    const { stderr } = await assay([...check, "--quiet"], { ...ENV, ASSAY_TEAM: "team-secret" }, cwd);
    expect(stderr.split("\n")[0]).toBe(`From assay.yaml, found in this folder: target ${foreign}; header x-team.`);
    expect(stderr).not.toContain("team-secret");
  });
});
