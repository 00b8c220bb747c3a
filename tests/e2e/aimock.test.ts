/**
 * The same commands against a server that nobody here wrote. Where it differs from the document, the report must say
 * so: the expected list was checked by hand against the bytes, request by request.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConformanceResult } from "../../formats/conformance.ts";
import { assay, newFolder } from "../support/assay-process.ts";
import { recordsOf, resultOf } from "../support/result-files.ts";
import { type Aimock, startAimock } from "../support/start-aimock.ts";
import expected from "./aimock-expected.json" with { type: "json" };

let aimock: Aimock;
beforeAll(async () => {
  aimock = await startAimock();
});
afterAll(() => aimock.stop());

const NOT_WORTH_A_WORD = ["PASS", "OBSERVED", "NOT-RUN", "NOT-APPLICABLE"];

test("conformance names each difference from the document, and nothing else", async () => {
  const folder = newFolder();
  const { code, stdout } = await assay(["conformance", "--target", aimock.url, "--out", folder]);
  const result = parseConformanceResult(JSON.parse(readFileSync(join(folder, "conformance.json"), "utf8")));
  const seen = result.clauses.filter(({ verdict }) => !NOT_WORTH_A_WORD.includes(verdict));
  expect(seen.map(({ id, verdict }) => ({ clause: id, verdict }))).toEqual(
    expected.map(({ clause, verdict }) => ({ clause, verdict })),
  );
  const failures = expected.filter(({ verdict }) => verdict === "FAIL");
  for (const { clause } of failures) expect(stdout).toContain(`FAIL  ${clause}`);
  expect(result.summary.required).toMatchObject({ failed: failures.length });
  expect(result.summary.required.verified).toBeGreaterThan(50);
  expect(code).toBe(1);
});

test.each(["chat-stream", "chat", "embeddings"])("%s is loaded and measured", async (scenario) => {
  const folder = newFolder();
  const flags = ["--rate", "20", "--duration", "3s", "--warmup", "0", "--out", folder];
  const { code, stderr, stdout } = await assay(["load", scenario, "--target", aimock.url, ...flags]);
  expect(code, stderr + stdout).toBe(0);
  const run = resultOf(folder);
  expect(run.counts).toMatchObject({ offered: 60, started: 60, ok: 60 });
  const chunks = new Set(recordsOf(folder).map((record) => record.chunks));
  expect(chunks).toEqual(new Set([scenario === "chat-stream" ? 5 : undefined]));
});

test("a load of what it does not have fails by name", async () => {
  const folder = newFolder();
  const flags = ["--rate", "5", "--duration", "2s", "--warmup", "0", "--out", folder];
  const { code, stdout } = await assay(["load", "video", "--target", aimock.url, ...flags]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/http_error +10 +100 %/);
});
