import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type RunResult, runJson, runResult } from "../../formats/run.ts";
import { isObject, type UnknownObject } from "../../lib/json.ts";
import { editedValues } from "../../tests/support/edited-values.ts";
import { VERIFIED, verificationLines } from "../verification-lines.ts";
import { verifyRun } from "./verify-run.ts";

const golden = (name: string): RunResult =>
  runResult.parse(
    JSON.parse(readFileSync(fileURLToPath(new URL(`views/golden/${name}.json`, import.meta.url)), "utf8")),
  );
const EVIDENCE = ["records.jsonl", "client.jsonl"].map((file) => ({ file, bytes: 10, sha256: `hash of ${file}` }));
const RUN: RunResult = { ...golden("video"), k6Sha256: ["aa"], evidence: EVIDENCE };

const written = (run: RunResult): UnknownObject => {
  const value: unknown = JSON.parse(runJson(run));
  return isObject(value) ? value : {};
};
const differences = (published: unknown, again = RUN) =>
  verifyRun(isObject(published) ? published : {}, { again, views: [] }).differences;

test.each(["bad", "good", "mixed", "overloaded", "refused", "summary", "video"])(
  "the run %s that nobody touched is reproduced",
  (name) => {
    const again = { ...golden(name), evidence: EVIDENCE };
    const verification = verifyRun(written(again), { again, views: [] });
    expect(verification).toMatchObject({ differences: [], standing: 0, hashed: true });
    expect(verification.reproduced).toBeGreaterThan(100);
  },
);

test("every value that is changed, removed or added by hand is found, and named", () => {
  const missed: string[] = [];
  for (const { path, document } of editedValues(written(RUN))) {
    const found = differences(document);
    const [first = ""] = found;
    const isNamed = path === "tool" || path.startsWith("evidence") ? found.length > 0 : first.startsWith(`${path} is `);
    if (!isNamed) missed.push(`${path}: ${first}`);
  }
  expect(missed).toEqual([]);
});

test("a difference says what the file holds and what the records give", () => {
  expect(differences({ ...written(RUN), durationS: 9 })).toEqual([
    `durationS is 9 in run.json; the records give ${RUN.durationS}`,
  ]);
  const { counts } = RUN;
  expect(differences({ ...written(RUN), counts: { ...counts, another: 1 } })).toEqual([
    "counts.another is 1 in run.json; the records give absent",
  ]);
});

test("files that were changed are named, once each", () => {
  const now = EVIDENCE.map((file) => ({ ...file, sha256: file.sha256.replace("records", "other"), bytes: 11 }));
  expect(differences(written(RUN), { ...RUN, evidence: now })).toEqual([
    "records.jsonl was changed: its SHA-256 is hash of other.jsonl, and run.json gives hash of records.jsonl",
  ]);
  expect(differences(written(RUN), { ...RUN, evidence: EVIDENCE.slice(1) })).toEqual([
    "records.jsonl is missing; run.json gives its SHA-256, hash of records.jsonl",
  ]);
});

test("the last digit of a number may be that of another processor", () => {
  const again = { ...RUN, durationS: 0.1 + 0.2 };
  expect(differences({ ...written(again), durationS: 0.3 }, again)).toEqual([]);
});

test("a result of another version names it, and its reports are not compared", () => {
  const published = { ...written(RUN), tool: "assay 0.0.1" };
  const view = { file: "run.md", found: "a", made: ["b"] };
  expect(verifyRun(published, { again: RUN, views: [view] }).differences).toEqual([
    `this is ${RUN.tool}, and another version may compute otherwise: replay with the version that run.json names`,
    `tool is "assay 0.0.1" in run.json; the records give "${RUN.tool}"`,
  ]);
  expect(verifyRun(written(RUN), { again: RUN, views: [view] }).differences).toEqual([
    "run.md is not what the records give",
  ]);
});

test("the verdict on a result is the first word", () => {
  const lines = (published: UnknownObject) =>
    verificationLines(VERIFIED.load, verifyRun(published, { again: RUN, views: [] }), { colour: false });
  expect(lines(written(RUN))).toMatch(/^REPRODUCED {2}[\d,]+ values of run\.json follow from the evidence\n$/);
  expect(lines({ ...written(RUN), durationS: 9 })).toMatch(
    /^NOT REPRODUCED {2}1 difference between run\.json and its evidence; [\d,]+ values of run\.json agree\n {2}durationS is 9/,
  );
});
