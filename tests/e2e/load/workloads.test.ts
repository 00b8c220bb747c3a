/** A load of several workloads, compared with what the mock received: shares, models, keys, results and the verdict. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { assay, newFile, newFolder } from "../../support/commands/assay-process.ts";
import { type Loaded, loadToEnd } from "../../support/commands/load-to-end.ts";
import { ledgerOf, recordsOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess, startMockWith } from "../../support/targets/spawned-mock.ts";

const KEYS = { TEAM_A_KEY: "key-of-team-a-1f", TEAM_B_KEY: "key-of-team-b-2e" };

/** The example of the docs; the mock takes the key of team A only. */
const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(
  readFileSync(new URL("../../../docs/workloads.md", import.meta.url), "utf8"),
)?.[1];

const fileOf = (text: string): string => newFile("team-load.yaml", text);

/** Within five standard deviations of a binomial count. */
function expectShare(count: number, of: number, share: number): void {
  expect(Math.abs(count - of * share)).toBeLessThan(5 * Math.sqrt(of * share * (1 - share)));
}

describe("workloads that share arrivals", () => {
  const ledgerFile = join(newFolder(), "ledger.jsonl");
  let loaded: Loaded;
  let sent: ReturnType<typeof ledgerOf>;

  beforeAll(async () => {
    const mock = await startMockWith(
      KEYS,
      "--timing",
      "instant",
      "--ledger",
      ledgerFile,
      "--api-key-env",
      "TEAM_A_KEY",
    );
    const flags = ["--rate", "80", "--duration", "4s", "--warmup", "0"];
    loaded = await loadToEnd(undefined, mock.url, ["--workload", fileOf(EXAMPLE ?? ""), ...flags], KEYS);
    await mock.stop();
    // Without the requests that try the target before the load.
    sent = ledgerOf(ledgerFile).filter(({ id }) => /-0{4}[0-9a-f]{8}$/.test(id));
  });

  test("have their shares of them, and each arrival is of the workload that its record names", () => {
    const records = recordsOf(loaded.folder);
    expect(records.length).toBe(sent.length);
    const routes = new Map(sent.map(({ id, path }) => [id, path]));
    for (const { id, workload } of records) {
      expect(routes.get(id)).toBe(workload === "search" ? "/v1/embeddings" : "/v1/chat/completions");
    }
    const of = (name: string) => records.filter(({ workload }) => workload === name);
    expectShare(of("assistant").length, records.length, 0.6);
    expectShare(of("search").length, records.length, 0.3);
    expectShare(of("summaries").length, records.length, 0.1);
    expect(new Set(of("assistant").map(({ max_tokens }) => max_tokens))).toEqual(new Set([200]));
    expect(new Set(of("search").map(({ items }) => items))).toEqual(new Set([1, 16]));
  });

  test("have the models of their weights", () => {
    const models = recordsOf(loaded.folder).flatMap(({ workload, model }) => (workload === "assistant" ? [model] : []));
    expect(new Set(models)).toEqual(new Set(["assay-chat", "lora-support"]));
    expectShare(models.filter((model) => model === "assay-chat").length, models.length, 0.75);
  });

  test("send the key of their tenant: what the mock refused is all of team B, and nothing else", () => {
    const refused = new Set(sent.filter(({ status }) => status === 401).map(({ id }) => id));
    for (const { id, workload } of recordsOf(loaded.folder)) expect(refused.has(id)).toBe(workload !== "assistant");
    const { tenants, parts, counts } = loaded.run;
    expect(tenants?.["TEAM_A_KEY"]).toMatchObject({ workloads: ["assistant"], counts: { failed: 0 } });
    expect(tenants?.["TEAM_B_KEY"]).toMatchObject({
      workloads: ["search", "summaries"],
      counts: { ok: 0, failed: refused.size },
    });
    const due = Object.values(parts ?? {}).map((part) => part.counts.offered);
    expect(due.reduce((sum, each) => sum + each, 0)).toBe(counts.offered);
    for (const key of Object.values(KEYS)) {
      expect(readFileSync(join(loaded.folder, "run.json"), "utf8")).not.toContain(key);
      expect(readFileSync(join(loaded.folder, "records.jsonl"), "utf8")).not.toContain(key);
    }
  });

  test("are judged by objectives of their own, and one that is missed fails the run", () => {
    const { code, run, stdout } = loaded;
    const verdicts = Object.fromEntries(run.slos.map(({ expr, ok }) => [expr, ok]));
    expect(verdicts).toMatchObject({ "error_rate<1%": false, "assistant.error_rate<1%": null });
    expect(Object.keys(verdicts)).toContain("search.e2e_p95<500ms");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ *workload +due +ok +failed/m);
    expect(stdout).toMatch(/^ *TEAM_B_KEY +\d+ +0 /m);
    expect(readFileSync(join(loaded.folder, "run.html"), "utf8")).toContain("<h3>Tenants</h3>");
  });
});

test("workloads with arrivals of their own have their rates and users, in segments that merge without loss", async () => {
  const mock = await startMockProcess("--timing", "instant");
  const file = fileOf(`
no-default-slos: true
slo: ok>=1
workloads:
  - { name: chats, operation: chat-stream, rate: 20/s, arrival: poisson, max-tokens: 5 }
  - { name: users, operation: chat, vus: 2, max-requests: 40 }
  - { name: batch, operation: embeddings, rate: 10/s, slo: "ok>=20" }
`);
  const flags = ["load", "--workload", file, "--target", mock.url, "--duration", "2s", "--warmup", "0"];
  const folders = [newFolder(), newFolder(), newFolder()];
  const runs = [[], ["--segment", "1/2"], ["--segment", "2/2"]].map((segment, index) =>
    assay([...flags, ...segment, "--out", folders[index] ?? ""]),
  );
  for (const { code, stderr } of await Promise.all(runs)) expect(code, stderr).not.toBe(3);
  const merged = newFolder();
  const [whole = "", ...segments] = folders;
  await assay(["report", ...segments, "--out", merged]);
  for (const run of [resultOf(whole), resultOf(merged)]) {
    const due = Object.fromEntries(Object.entries(run.parts ?? {}).map(([name, { counts }]) => [name, counts.offered]));
    expect(due).toMatchObject({ users: 40, batch: 20 });
    expect(Math.abs((due["chats"] ?? 0) - 40)).toBeLessThan(5 * Math.sqrt(40));
    expect(run.slos.map(({ expr, ok }) => [expr, ok])).toEqual([
      ["ok>=1", true],
      ["batch.ok>=20", true],
    ]);
  }
  const numbers = segments.flatMap((folder) => recordsOf(folder).map(({ arrival }) => arrival));
  expect(new Set(numbers).size).toBe(numbers.length);
  const batches = (folder: string) =>
    recordsOf(folder).flatMap(({ workload, arrival }) => (workload === "batch" ? [arrival] : []));
  expect(segments.flatMap(batches).toSorted()).toEqual(batches(whole).toSorted());
});
