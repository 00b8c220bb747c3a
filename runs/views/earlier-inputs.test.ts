import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { earlierInputs } from "./earlier-inputs.ts";

/** A result folder whose requests have these inputs. */
const folderWith = (digests: readonly (number | undefined)[], folder = newFolder()): string => {
  const lines = digests.map((input_digest, index) => JSON.stringify({ id: `r-${index}`, input_digest }));
  writeFileSync(join(folder, "records.jsonl"), `{"schema":"assay.records/1"}\n${lines.join("\n")}\n`);
  return folder;
};

test("what an earlier load sent is that of all its runs; a folder that does not say it is refused", async () => {
  const single = folderWith([1, 2]);
  expect(await earlierInputs(single)).toEqual({ from: single, records: [join(single, "records.jsonl")] });
  const repeated = newFolder();
  for (const [run, digest] of Object.entries({ "run-1": 1, "run-2": 2 })) {
    mkdirSync(join(repeated, run));
    folderWith([digest], join(repeated, run));
  }
  expect((await earlierInputs(repeated)).records).toEqual(
    [1, 2].map((run) => join(repeated, `run-${run}`, "records.jsonl")),
  );
  const refused = async (folder: string, why: string, reported: readonly string[] = []) =>
    expect(earlierInputs(folder, reported)).rejects.toThrow(`Cannot look for repeated inputs in ${folder}: ${why}`);
  await refused(join(single, "none"), "it does not exist. Name the result folder of a run.");
  await refused(newFolder(), "there is no records.jsonl in it, or it is empty.");
  await refused(folderWith([undefined]), "its records do not say what was sent (input_digest)");
  await refused(single, "that is the load itself", [single]);
});
