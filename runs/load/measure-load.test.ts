import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Progress } from "../../cli/console.mjs";
import { FILES } from "../../formats/file-names.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { measureLoad } from "./measure-load.ts";
import { planLoad } from "./plan-load.ts";
import * as runs from "./run-load.ts";

test("an interrupt while the report is written leaves it whole, and says that nothing is to follow", async () => {
  const folder = newFolder();
  vi.spyOn(runs, "runLoad").mockImplementation(async () => {
    const { records, client } = makeRun({ durationS: 2 });
    writeFileSync(join(folder, FILES.records), records.join("\n"));
    writeFileSync(join(folder, FILES.client), client.join("\n"));
    queueMicrotask(() => queueMicrotask(() => setImmediate(() => process.emit("SIGINT"))));
    return [];
  });
  const said: string[] = [];
  const progress: Progress = { show: () => undefined, say: (line) => said.push(line), end: () => undefined };
  const plan = planLoad("chat-stream", { target: "http://127.0.0.1:9" }, { env: {} });
  const { leave } = await measureLoad(plan, folder, progress);
  expect(leave).toBe(true);
  expect(said.join()).toContain(`assay report ${folder}`);
  expect(["run.json", "run.html", "run.md"].map((name) => existsSync(join(folder, name)))).toEqual([true, true, true]);
});
