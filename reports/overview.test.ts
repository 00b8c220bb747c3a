import { expect, test } from "vitest";
import { DEFAULT_SLOS } from "../settings/load/load-table.ts";
import { makeRun, unanswered } from "../tests/support/results/load-run.ts";
import { pageOutline } from "../tests/support/results/page-outline.ts";
import { summarizeLoad } from "../tests/support/results/summarize-shards.ts";
import { LINES, verdictsOf } from "../tests/support/results/verdict-lines.ts";
import { summarizeConformance } from "./conformance/conformance-result.ts";
import { overviewHtml } from "./overview.ts";

const load = (change?: Parameters<typeof makeRun>[0]) =>
  summarizeLoad({
    shards: [makeRun({ durationS: 20, ...change })],
    slos: DEFAULT_SLOS,
    target: "http://127.0.0.1:8080",
    scenario: "chat-stream",
    shape: "20/s constant for 20s",
    tool: "assay 0.1.0",
  });

test("an overview names every result, says how each ended and links to it", async () => {
  const result = await summarizeConformance({ verdicts: verdictsOf(LINES), tool: "assay 0.1.0" });
  const loads = [await load(), await load({ change: (record, index) => (index > 80 ? unanswered(record) : record) })];
  const page = overviewHtml({
    title: "Demo",
    tool: "assay 0.1.0",
    conformance: { result, href: "conformance/conformance.html" },
    loads: loads.map((run, index) => ({ result: run, href: `load-${index}/run.html` })),
  });
  expect(page).toContain("1 of 3 passed");
  await expect(pageOutline(page)).toMatchFileSnapshot("./golden/overview.outline.txt");
});

test("the runs of one load are told apart by their names", async () => {
  const run = await load();
  const loads = ["run-1", "run-2"].map((name) => ({ result: run, href: `${name}/run.html`, name }));
  const page = overviewHtml({ title: "chat-stream, 20/s", tool: "assay 0.1.0", loads });
  for (const { name } of loads) expect(page).toContain(`<a href="${name}/run.html">${name}</a>`);
  expect(page).not.toContain(">chat-stream</a>");
});
