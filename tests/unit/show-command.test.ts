/** `assay show`: a request of a load by its id, and lists of those that failed or were slow. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import { assay, newFolder } from "../support/commands/assay-process.ts";
import { httpError, makeRun } from "../support/results/load-run.ts";

function recorded(): string {
  const folder = newFolder();
  const { records, client } = makeRun({ change: (each, index) => (index === 300 ? httpError(each) : each) });
  writeFileSync(join(folder, FILES.records), `${records.join("\n")}\nnot a record\n`);
  writeFileSync(join(folder, FILES.client), `${client.join("\n")}\n`);
  return folder;
}

const folder = recorded();

test.each([
  [["--failed"], /^request +operation .*\nr-300 +chat\.stream .* 500 internal server error +status 500\n$/],
  [["--slowest", "2", "--csv"], /^id,op,.*\nr-\d+,chat\.stream,.*\nr-\d+,.*\n$/],
  [["r-300"], /^r-300\n {2}operation +chat\.stream, in the phase measure\n {2}outcome +500 internal server error\n/],
])("%j", async (args, shown) => {
  const { code, stdout, stderr } = await assay(["show", folder, ...args]);
  expect(stdout, stderr).toMatch(shown);
  expect(code).toBe(0);
});

test.each([
  [[], "name the request to show: its id, --failed, or --slowest 20"],
  [["--failed", "--slowest", "3"], "name the request to show: its id, --failed, or --slowest 20"],
  [["--slowest", "3", "--by", "tfft"], 'Did you mean "ttft"?'],
  [["--slowest", "many"], "many"],
  [["r-9999999"], "no request, trace or video task of"],
])("%j is a usage error", async (args, said) => {
  const { code, stderr } = await assay(["show", folder, ...args]);
  expect(stderr).toContain(said);
  expect(code).toBe(3);
});
