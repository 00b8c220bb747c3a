/** Conformance of several targets: checked, put side by side, published, and verified from the evidence. */

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformanceMatrix } from "../../../formats/conformance-matrix.ts";
import { type Mock, startMock } from "../../../mock-server/index.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { conformanceResultOf } from "../../support/results/read-results.ts";

const folder = newFolder();
const TARGETS = {
  plain: { timing: "instant" },
  faulty: { timing: "instant", faults: ["temperature-limit-off", "chat-object-other"] },
  shuffled: { timing: "instant", behaviour: "shuffled-embeddings" },
} as const;
type Name = keyof typeof TARGETS;
const NAMES: readonly Name[] = ["plain", "faulty", "shuffled"];
/** The clauses that the faults break. */
const BROKEN = [
  "chat.compatible.members",
  "chat.stream.temperature.above",
  "chat.temperature.just-above",
  "chat.temperature.above",
];

const mocks: Mock[] = [];
beforeAll(async () => {
  await Promise.all(
    NAMES.map(async (name) => {
      const mock = await startMock(TARGETS[name]);
      mocks.push(mock);
      const flags = ["--target", mock.url, "--profile", "openai", "--out", name];
      const { code, stderr } = await assay(["conformance", ...flags], {}, folder);
      expect(code, stderr).toBe(name === "faulty" ? 1 : 0);
    }),
  );
});
afterAll(() => Promise.all(mocks.map((mock) => mock.stop())));

test("a matrix shows what differs first, with each target's own reports, badge and summary beside it", async () => {
  const { code, stdout, stderr } = await assay(["report", ...NAMES, "--out", "matrix"], {}, folder);
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/^2 of 3 targets conform; 4 of \d+ clauses differ\n/);
  expect(stdout).toMatch(/^2 {2}127\.0\.0\.1:\d+ {2}DOES NOT CONFORM \(chat, embeddings; video not run/m);
  expect(stdout).toMatch(/^Different verdicts +1 +2 +3\n(?:chat\.\S+ +PASS {2}FAIL {2}PASS\n {2}2: .*\n){4}/m);
  const matrix = conformanceMatrix.parse(JSON.parse(readFileSync(join(folder, "matrix", "matrix.json"), "utf8")));
  expect(matrix.clauses.slice(0, 4).map(({ id }) => id)).toEqual(BROKEN.toReversed());
  const { required, compatible } = matrix.targets[1]?.summary ?? {};
  expect([required?.failed, compatible?.failed]).toEqual([3, 1]);
  for (const [index, { folder: own, verdict }] of matrix.targets.entries()) {
    const files = readdirSync(join(folder, "matrix", own));
    expect(files).toEqual(expect.arrayContaining(["conformance.html", "conformance.json", "publish"]));
    const badge = readFileSync(join(folder, "matrix", own, "publish/badge.svg"), "utf8");
    expect(badge).toContain(
      index === 1 ? "3 required and 1 compatible failed (chat, embeddings;" : ">conforms (chat, embeddings;",
    );
    expect(readFileSync(join(folder, "matrix", own, "publish/summary.md"), "utf8")).toContain(verdict.slice(0, 8));
  }
  const page = readFileSync(join(folder, "matrix", "index.html"), "utf8");
  expect(page).toContain("2.1");
  const { folder: second = "" } = matrix.targets[1] ?? {};
  expect(page).toContain(`${second}/conformance.html#${BROKEN[0]}`);
  expect(readFileSync(join(folder, "matrix", second, "conformance.html"), "utf8")).toContain("curl -i -X POST");
});

test("loads and conformance results together are refused in one sentence", async () => {
  const load = newFolder();
  writeFileSync(join(load, "records.jsonl"), "{}\n");
  const { code, stdout, stderr } = await assay(["report", "plain", load], {}, folder);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^Cannot report on plain, \S+ together: \S+ holds a load and plain a conformance run\. .*\n$/);
});

describe("a published result", () => {
  /** A copy of a result in which a file is changed. */
  function changed(name: Name, file: string, change: (text: string) => string): string {
    const copy = join(newFolder(), "published");
    cpSync(join(folder, name), copy, { recursive: true });
    const before = readFileSync(join(copy, file), "utf8");
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(join(copy, file), after);
    return copy;
  }

  test("is reproduced from its evidence, with the exit code of the result", async () => {
    const runs = await Promise.all(NAMES.map((name) => assay(["replay", name], {}, folder)));
    expect(runs.map(({ code }) => code)).toEqual([0, 1, 0]);
    for (const [index, { stdout }] of runs.entries()) {
      const decided = conformanceResultOf(join(folder, NAMES[index] ?? "")).clauses.filter(
        ({ verdict }) => verdict !== "NOT-RUN",
      );
      expect(stdout).toContain(`REPRODUCED  ${decided.length} verdicts of conformance.json follow from the evidence\n`);
    }
  });

  test("with a verdict that was edited is not", async () => {
    const copy = changed("faulty", "conformance.json", (text) =>
      text.replaceAll('"verdict": "FAIL"', '"verdict": "PASS"'),
    );
    const { code, stdout } = await assay(["replay", copy]);
    expect(code).toBe(2);
    expect(stdout).toContain("NOT REPRODUCED");
    for (const id of BROKEN) expect(stdout).toContain(`${id} is PASS in conformance.json; the evidence gives FAIL`);
  });

  test("is not when an exchange was edited, though every verdict stays", async () => {
    const copy = changed("plain", "exchanges.jsonl", (text) => text.replace('"headersMs":', '"headersMs":1'));
    const { code, stdout } = await assay(["replay", copy]);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /All verdicts are unchanged\.\n.*NOT REPRODUCED {2}2 differences .*\n {2}exchanges\.jsonl was changed: .*\n {2}exchanges\.har is not /,
    );
  });

  test("is not when a failing verdict was taken out of both files", async () => {
    const copy = changed("faulty", "verdicts.jsonl", (text) =>
      text
        .split("\n")
        .filter((line) => !line.includes('"verdict":"FAIL"'))
        .join("\n"),
    );
    await assay(["report", copy]);
    const { code, stdout } = await assay(["replay", copy]);
    expect(code).toBe(2);
    for (const id of BROKEN) expect(stdout).toContain(`${id} is NOT-RUN in conformance.json; the evidence gives FAIL`);
  });
});
