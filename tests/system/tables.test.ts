/** The Parquet files of a load in the programs that people read them with, by the examples of docs/file-formats.md. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { assay, newFolder } from "../support/commands/assay-process.ts";
import { pythonWithPackages } from "../support/python-client.ts";
import { makeRun } from "../support/results/load-run.ts";
import { resultOf } from "../support/results/read-results.ts";

const page = readFileSync(join(ROOT, "docs", "file-formats.md"), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, code = ""]) => code);

test("every example finds the percentile of the report", async () => {
  const folder = newFolder();
  const { records, client } = makeRun();
  writeFileSync(join(folder, FILES.records), records.join("\n"));
  writeFileSync(join(folder, FILES.client), client.join("\n"));
  const { stderr } = await assay(["report", folder, "--parquet"]);
  const expected = resultOf(folder).metrics["ttft"]?.p95 ?? Number.NaN;
  expect(expected, stderr).toBeGreaterThan(0);
  const inPython = blocks("python");
  expect(inPython).toHaveLength(2);
  for (const code of inPython) {
    const printed = execFileSync(pythonWithPackages(), ["-c", code], { cwd: folder, encoding: "utf8" });
    expect(Number(printed)).toBeCloseTo(expected, 9);
  }
  const [query = ""] = blocks("sql");
  const table = await assay([
    "sql",
    folder,
    query.replace("'requests.parquet'", "requests").replace(";", ""),
    "--json",
  ]);
  expect(JSON.parse(table.stdout)).toEqual([{ ttft_p95_ms: expected }]);
});
