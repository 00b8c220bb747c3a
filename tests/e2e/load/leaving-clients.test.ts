/** Clients that leave: what the target sees, what is recorded and counted, and whether its work is seen to go on. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readsFirstToken } from "../../../settings/load/leave.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { unspoiled } from "../../support/commands/busy-machine.ts";
import { FEW_UNITS, loadToEnd, unhindered } from "../../support/commands/load-to-end.ts";
import { ledgerOf, recordsOf } from "../../support/results/read-results.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";

/** A response takes a second, and has a token each 10 ms. */
const target = (slots: string, ...more: readonly string[]): Promise<MockProcess> => {
  const flags = ["--slots", `300,prefill=0,step=10ms,growth=0,${slots}`, "--output-tokens", "100", "--metrics"];
  return startMockProcess(...flags, ...more);
};

/** Those that leave read 20 tokens: 0.2 s. */
async function load(mock: MockProcess, ...more: readonly string[]) {
  const shape = ["--rate", "30", "--warmup", "3s", "--max-tokens", "100", "--set", "scrape-interval=100ms"];
  return loadOf(mock, [...shape, "--leave", "40%@20%", ...more]);
}

const loadOf = (mock: MockProcess, shape: readonly string[]) =>
  unhindered(() => loadToEnd("chat-stream", mock.url, [...FEW_UNITS, ...shape]));

/** How long the work of those that left is said to have gone on. */
function workOf({ run, stdout }: Awaited<ReturnType<typeof load>>) {
  const { work } = run.left ?? {};
  if (work === undefined || "notVisible" in work) throw new Error(stdout);
  return work;
}

test.concurrent("clients leave at their token, are no failures, and the service is seen to go on for as long as it does", async () => {
  const ledger = join(newFolder(), "ledger.jsonl");
  const mock = await target("left=500ms", "--ledger", ledger);
  const loaded = await load(mock, "--duration", "8s", "--scrape", mock.url);
  const { run, folder, stdout } = loaded;
  const records = recordsOf(folder);
  const left = records.filter(({ outcome }) => outcome === "left");
  expect(left.length).toBeGreaterThan(50);
  expect(left.every(({ phase, leave, chunks = 0 }) => phase === "measure" && leave === "20%" && chunks >= 20)).toBe(
    true,
  );
  expect(records.filter(({ outcome }) => outcome !== "left" && outcome !== "ok")).toEqual([]);
  await mock.stop();
  const rows = new Map(ledgerOf(ledger).map((row) => [row.id, row]));
  for (const { id, outcome } of records) expect(rows.get(id)?.clientLeft).toBe(outcome === "left");

  const { counts, metrics } = run;
  expect(counts).toMatchObject({ offered: 240, ok: 240 - left.length, failed: 0, outcomes: { left: left.length } });
  expect(metrics["error_rate"]).toMatchObject({ value: 0, count: 240 - left.length });
  expect(metrics["ttft"]?.count).toBe(240);
  expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("n = 240, outcome ok or left");
  expect(metrics["e2e"]?.count).toBe(240 - left.length);
  expect(run.left).toMatchObject({ at: "20%", asked: left.length, left: left.length });

  const { low, high } = workOf(loaded);
  expect([low < 0.5, high > 0.5, high - low < 0.5], stdout).toEqual([true, true, true]);
  expect(stdout).toContain(`${left.length} clients left (20%)`);
  expect(stdout).toContain("work of clients that left went on for");
});

test.concurrent("a service that stops its work is seen to stop", async () => {
  const mock = await target("left=0ms");
  const loaded = await load(mock, "--duration", "8s", "--scrape", mock.url);
  const { high, rest } = workOf(loaded);
  expect([high < rest / 2, rest > 0.5], loaded.stdout).toEqual([true, true]);
  expect(loaded.stdout).toContain("work of clients that left stopped within");
});

test.concurrent("without a source that tells of running requests it is said not to be visible", async () => {
  const { run, stdout, folder } = await load(await target("left=0ms"), "--duration", "2s", "--leave", "50%@300ms");
  expect(run.left?.work).toHaveProperty("notVisible");
  expect(stdout).toMatch(
    /whether the target stops the work of clients that leave is not visible: no source of --scrape/,
  );
  const left = recordsOf(folder).filter(({ outcome }) => outcome === "left");
  expect(left.length).toBeGreaterThan(10);
  for (const { e2e = 0 } of left) expect(e2e).toBeGreaterThanOrEqual(300);
  // Who leaves after a time may have read nothing, so that the first tokens of the others alone count.
  expect(readsFirstToken("300ms")).toBe(false);
  expect(run.metrics["ttft"]?.count).toBe(60 - left.length);
});

/** A step takes the longer, the more responses are made at once: here and with leavers by far more than a busy machine is late. */
async function loadOfSlow(slots: string, ...more: readonly string[]): Promise<string> {
  const flags = ["--slots", `300,prefill=0,step=80ms,growth=4ms,${slots}`, "--output-tokens", "5"];
  const shape = ["--rate", "30", "--warmup", "4s", "--max-tokens", "5", "--duration", "20s", ...more];
  return (await loadOf(await startMockProcess(...flags), shape)).folder;
}

const WORDS = {
  "left=0ms": "the target stops work of clients that left",
  "left=800ms": "whether the target stops their work is not visible",
};

/** What a comparison says of loads in which clients leave, against one in which none do. */
async function comparedWithLeavers() {
  const leave = ["--leave", "60%@20%"];
  const [base = "", ...left] = await Promise.all([
    loadOfSlow("left=0ms"),
    ...Object.keys(WORDS).map((slots) => loadOfSlow(slots, ...leave)),
  ]);
  const compared = left.map((folder) => assay(["compare", base, folder, "--out", newFolder()]));
  return { base, left, compared: await Promise.all(compared) };
}

test("beside a run in which nobody leaves, gaps show that a busy service stops their work, or not", async () => {
  const { base, left, compared } = await unspoiled(comparedWithLeavers, ({ compared }) =>
    compared
      .map(
        ({ stdout }) =>
          /icl_p50: .*(wake-up latency of the load generator|load generators can have caused).*/.exec(stdout)?.[0],
      )
      .find((late) => late !== undefined),
  );
  for (const [nth, words] of Object.values(WORDS).entries()) {
    expect(compared[nth]?.stdout, compared[nth]?.stderr).toContain(words);
    const turned = await assay(["compare", left[nth] ?? "", base, "--out", newFolder()]);
    expect(turned.stderr).toContain("only the new runs may have clients that leave");
    expect(turned.code).toBe(2);
  }
});
