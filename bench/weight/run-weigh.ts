/**
 * Weighs the program: prints what it weighs beside what is recorded in weights.jsonl, and fails when a number changed by
 * more than its share. `npm run weigh [-- --update "reason"]` records what changed, with the reason.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { notify, print } from "../../cli/console.mjs";
import { weigh } from "./measures.ts";
import { readWeights, updatedWeights, weightChanges, weightTable, writeWeights } from "./weight-changes.ts";

const RECORD = new URL("./weights.jsonl", import.meta.url);

const { values } = parseArgs({ options: { update: { type: "string" } } });
const records = readWeights(readFileSync(RECORD, "utf8"));
const changes = weightChanges(await weigh(), records);
const problems = changes.flatMap(({ problem }) => problem ?? []);
print(`${weightTable(changes)}\n`);
if (values.update !== undefined) {
  writeFileSync(RECORD, writeWeights(updatedWeights(changes, records, values.update)));
  notify(`Recorded ${problems.length} of ${changes.length} numbers: ${values.update}`);
} else if (problems.length > 0) {
  notify(`\nThe weight of the program changed:\n${problems.map((problem) => `  ${problem}\n`).join("")}`);
  notify('Make it lighter, or record it with the reason: npm run weigh -- --update "why"');
  process.exitCode = 1;
}
