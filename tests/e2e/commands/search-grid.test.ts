/** Searches for each combination of settings: interrupted, and the rest of them by the same command. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchesResult } from "../../../formats/searches.ts";
import { parseJson } from "../../../lib/json.ts";
import { assay, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

test("a search that ended is kept, one that was interrupted goes on, and the page has all", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const out = join(newFolder(), "grid");
  const lengths = ["--warmup", "0", "--probe-duration", "1s", "--duration", "1s", "--max-runs", "1"];
  const objective = ["--set", "no-default-slos", "--slo", "ok>=1"];
  const range = ["--rate", "20", "--max", "20", "--target", url, "--grid", "max-tokens=8,16", "--out", out];
  const grid = ["search", "chat-stream", ...lengths, ...objective, ...range];
  const saved = () => searchesResult.parse(parseJson(readFileSync(join(out, "searches.json"), "utf8")));

  const running = startAssay(grid);
  await running.until(/search-02 of 2: max-tokens=16[\s\S]*run-01/);
  running.child.kill("SIGINT");
  const ended = await running.ended;
  expect(ended.code, ended.stderr).toBe(2);
  const [first, second] = saved().searches;
  expect([first?.state, second?.state]).toEqual(["ended", "interrupted"]);

  const other = await assay([...grid, "--max-in-flight", "9"]);
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining("its max-in-flight is")]);

  const { code, stderr } = await assay(grid);
  expect(code, stderr).not.toBe(3);
  expect(stderr).toContain("Resuming search-02 of 2: max-tokens=16");
  expect(stderr).not.toContain("search-01 of 2");
  const { searches } = saved();
  expect(searches.map(({ dir, state }) => [dir, state])).toEqual([
    ["search-01", "ended"],
    ["search-02", "ended"],
  ]);
  expect(searches[0]).toEqual(first);
  const page = readFileSync(join(out, "index.html"), "utf8");
  for (const { dir } of searches) {
    expect(page).toContain(`href="${dir}/search.html"`);
    expect(existsSync(join(out, dir, "search.html"))).toBe(true);
  }

  // All is kept, also by one who waits for the target.
  const kept = await assay([...grid, "--wait-for", "5s"]);
  expect(kept.stderr).not.toMatch(/search-0\d of 2/);
  expect(saved().searches).toEqual(searches);

  rmSync(join(out, "index.html"));
  const again = await assay(["report", out]);
  expect([again.code, again.stdout], again.stderr).toEqual([kept.code, expect.stringContaining("max-tokens")]);
  expect(readFileSync(join(out, "index.html"), "utf8")).toBe(page);
});
