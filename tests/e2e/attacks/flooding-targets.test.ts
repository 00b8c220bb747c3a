/** The deadline of a conformance run holds whatever the target sends, and its memory and its files are bounded. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { conformanceResultOf } from "../../support/results/read-results.ts";
import { FLOODS } from "./flood-server.ts";

const program = fileURLToPath(new URL("./flood-main.ts", import.meta.url));

/** Those that once took longest or most; `ASSAY_FLOODS=all` runs every kind. */
const WORST = [
  "carriage returns",
  "many choices",
  "one long string",
  "endless tiny chunks",
  "endless interim responses",
  "deaf",
];
const kinds = process.env["ASSAY_FLOODS"] === "all" ? [...Object.keys(FLOODS), "deaf"] : WORST;

async function flood(name: string): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", program, name], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [line]: unknown[] = await once(child.stdout.setEncoding("utf8"), "data");
  return String(line).trim();
}

const MIB = 1024 * 1024;
const DEADLINE_MS = 1_000;

const header = z.object({ startedAt: z.string() });
const end = z.object({ finishedAt: z.string() });

test.each(kinds)("%s", async (name) => {
  const folder = newFolder();
  const target = await flood(name);
  const flags = ["--target", target, "--profile", "openai", "--deadline", `${DEADLINE_MS}ms`, "--out", folder];
  const { code, stderr } = await assay(["conformance", ...flags], { ASSAY_API_KEY: "a-key-of-the-tests" });
  expect([1, 2], stderr).toContain(code);
  const { clauses, finishedAt = "" } = conformanceResultOf(folder);
  expect(clauses.filter(({ verdict }) => verdict === "HARNESS-ERROR")).toEqual([]);
  const [first = "", ...others] = readFileSync(join(folder, "verdicts.jsonl"), "utf8").trimEnd().split("\n");
  expect(header.parse(JSON.parse(first)).startedAt <= finishedAt).toBe(true);
  expect(end.parse(JSON.parse(others.at(-1) ?? "")).finishedAt).toBe(finishedAt);
  expect(statSync(join(folder, "exchanges.jsonl")).size).toBeLessThan(150 * MIB);
});
