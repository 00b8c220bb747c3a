import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Progress } from "../../cli/console.mjs";
import { FILES } from "../../formats/file-names.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import * as views from "../views/repeat-reports.ts";
import { planLoad } from "./plan-load.ts";
import { repeatLoad } from "./repeat-load.ts";
import * as runs from "./run-load.ts";

test("an interrupt between two runs starts no further one, and writes the page of those before", async () => {
  const runLoad = vi.spyOn(runs, "runLoad").mockImplementation(async (_, folder) => {
    const { records, client } = makeRun({ durationS: 2 });
    writeFileSync(join(folder, FILES.records), records.join("\n"));
    writeFileSync(join(folder, FILES.client), client.join("\n"));
    return [];
  });
  const { writeRepeatViews } = views;
  vi.spyOn(views, "writeRepeatViews").mockImplementation((...given) => {
    if (!existsSync(join(folder, FILES.index))) process.emit("SIGINT");
    return writeRepeatViews(...given);
  });
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const folder = newFolder();
  const said: string[] = [];
  const progress: Progress = { show: () => undefined, say: (line) => said.push(line), end: () => undefined };
  const plan = planLoad("chat-stream", { target: "http://127.0.0.1:9", repeat: "3" }, { env: {} });
  const { runs: ended } = await repeatLoad({ ...plan, repeat: { times: 3, pauseMs: 0 } }, folder, progress);
  vi.restoreAllMocks();
  expect(runLoad).toHaveBeenCalledTimes(1);
  expect(ended).toHaveLength(1);
  expect(said).toContain("Stopping: no further run is started.");
  expect(existsSync(join(folder, FILES.index))).toBe(true);
});
