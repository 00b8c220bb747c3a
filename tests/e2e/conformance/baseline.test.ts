/** Baselines: a known failure is accepted with a reason until it passes or expires, in every view and command alike. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

let target: string;
beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant", "--fault", "chat-201")).url;
});

interface Entry {
  readonly clause: string;
  readonly expires: string;
}

/** Checks the chat clauses with a baseline of these entries, each with the reason "being fixed". */
async function check(...entries: readonly Entry[]) {
  const folder = newFolder();
  const file = join(newFolder(), "baseline.yaml");
  const lines = entries.map(
    ({ clause, expires }) => `- { clause: ${clause}, reason: being fixed, expires: ${expires} }`,
  );
  writeFileSync(file, lines.join("\n"));
  const flags = ["--target", target, "--only", "chat", "--baseline", file, "--out", folder];
  return { folder, ...(await assay(["conformance", ...flags])) };
}

const VIEWS = ["conformance.json", "conformance.html", "conformance.md", "conformance.junit.xml"];
const KNOWN = { clause: "chat.status", expires: "2999-12-31" };

test("a listed failure is known, not counted, and shown with its reason everywhere", async () => {
  const { code, stdout, folder } = await check(KNOWN);
  expect(stdout).toMatch(/CONFORMS \(.*\)\n(\d+) of \1 required verified, 1 known/);
  expect(stdout).toContain("KNOWN  chat.status  being fixed (known until 2999-12-31): the specification requires");
  for (const view of VIEWS) expect(readFileSync(join(folder, view), "utf8")).toContain("being fixed (known until");
  expect(code).toBe(0);
  const replayed = await assay(["replay", folder]);
  expect(replayed.stdout).toContain("All verdicts are unchanged.");
  expect([replayed.code, (await assay(["report", folder])).code]).toEqual([0, 0]);
});

test("an entry whose clause passes or that has expired fails the run by name, also when reported or replayed", async () => {
  const { code, stdout, stderr, folder } = await check(
    { clause: "chat.status", expires: "2020-01-31" },
    { ...KNOWN, clause: "chat.minimal" },
  );
  const named = [/chat\.minimal passes now/, /chat\.status is excused no longer: its entry expired on 2020-01-31/];
  expect(stdout).toContain("FAIL  chat.status");
  for (const name of named) {
    for (const text of [stdout, stderr, ...VIEWS.slice(0, 3).map((view) => readFileSync(join(folder, view), "utf8"))]) {
      expect(text.replaceAll("\\", "")).toMatch(name);
    }
  }
  expect(code).toBe(1);
  for (const command of ["report", "replay"]) {
    const again = await assay([command, folder]);
    for (const name of named) expect(again.stdout).toMatch(name);
    expect(again.code).toBe(1);
  }
});

test("an out-of-date entry fails the run even if nothing else does", async () => {
  const { code, stdout, folder } = await check(KNOWN, { ...KNOWN, clause: "chat.minimal" });
  expect(stdout).toContain("BASELINE OUT OF DATE");
  expect(readFileSync(join(folder, "conformance.junit.xml"), "utf8")).toMatch(
    /<failure message="[^"]*chat\.minimal passes now/,
  );
  expect(code).toBe(1);
});

test("an entry that names no clause is a usage error, before any request is sent", async () => {
  const { code, stderr, stdout } = await check({ ...KNOWN, clause: "chat.statsu" });
  expect(stderr).toMatch(/"chat\.statsu", which is not a clause\. Did you mean "chat\.status"\?/);
  expect([code, stdout]).toEqual([3, ""]);
});
