/** Markers of prompts: a response with the marker of another request is found, and no other is. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, loadToEnd } from "../../support/commands/load-to-end.ts";
import { ledgerOf, recordsOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

test.each(["chat-stream", "chat"])(
  "responses of %s with the marker of another request fail, and no other",
  async (scenario) => {
    const ledger = join(newFolder(), "ledger.jsonl");
    const mock = await startMockProcess(
      "--timing",
      "fast",
      "--fault",
      "chat-crossed-streams@every:4",
      "--ledger",
      ledger,
    );
    const shape = ["--rate", "20", "--warmup", "0", "--duration", "4s", "--set", "marker", "--input-tokens", "40"];
    const { folder, run, stdout } = await loadToEnd(scenario, mock.url, [...FEW_UNITS, ...shape]);
    await mock.stop();
    const crossed = new Set(
      ledgerOf(ledger).flatMap(({ id, fault }) => (fault === "chat-crossed-streams" ? [id] : [])),
    );
    const records = recordsOf(folder);
    expect(crossed.size).toBeGreaterThan(10);
    expect(new Set(records.flatMap(({ id, outcome }) => (outcome === "contract" ? [id] : [])))).toEqual(crossed);
    expect(run.counts).toMatchObject({ offered: 80, ok: 80 - crossed.size, failed: crossed.size });
    expect(stdout).toMatch(/The response contains assay-[0-9a-f]{8}, the marker of another request/);
  },
);
