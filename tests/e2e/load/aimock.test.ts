/**
 * The same commands against a third-party server. The report must name each difference from the specification: the
 * expected list was compared by hand with the bytes of each request and response.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { load, loadToEnd } from "../../support/commands/load-to-end.ts";
import { conformanceResultOf, recordsOf } from "../../support/results/read-results.ts";
import expected from "./aimock-expected.json" with { type: "json" };
import { type Aimock, startAimock } from "./start-aimock.ts";

let aimock: Aimock;
beforeAll(async () => {
  aimock = await startAimock();
});
afterAll(() => aimock.stop());

const UNREMARKABLE = ["PASS", "OBSERVED", "NOT-RUN", "NOT-APPLICABLE"];

test("conformance names each difference from the specification, and nothing else", async () => {
  const folder = newFolder();
  const { code, stdout } = await assay(["conformance", "--target", aimock.url, "--out", folder]);
  const result = conformanceResultOf(folder);
  const notable = result.clauses.filter(({ verdict }) => !UNREMARKABLE.includes(verdict));
  expect(notable.map(({ id, verdict }) => ({ clause: id, verdict }))).toEqual(
    expected.map(({ clause, verdict }) => ({ clause, verdict })),
  );
  const failures = expected.filter(({ verdict }) => verdict === "FAIL");
  for (const { clause } of failures) expect(stdout).toContain(`FAIL  ${clause}`);
  expect(result.summary.required).toMatchObject({ failed: failures.length });
  expect(result.summary.required.verified).toBeGreaterThan(50);
  expect(code).toBe(1);
});

test.concurrent.each(["chat-stream", "chat", "embeddings"])("%s can be loaded and measured", async (scenario) => {
  const { run, folder } = await load(scenario, aimock.url, "--rate", "20", "--duration", "3s", "--warmup", "0");
  expect(run.counts).toMatchObject({ offered: 60, started: 60, ok: 60 });
  const chunks = new Set(recordsOf(folder).map((record) => record.chunks));
  expect(chunks).toEqual(new Set([scenario === "chat-stream" ? 5 : undefined]));
});

test("a load of an endpoint that it does not have is inconclusive: every request was refused", async () => {
  const { code, stdout } = await loadToEnd("video", aimock.url, ["--rate", "5", "--duration", "2s", "--warmup", "0"]);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^INCONCLUSIVE {2}every request was rejected \(404 not found ×10\): check/);
  expect(stdout).toMatch(/http_error +10 +100%/);
});
