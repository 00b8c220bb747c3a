import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, describe as group, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { readSides, runFolders } from "./read-sides.ts";

/** A folder with the records of a run; `change` changes the header. */
function runIn(folder: string, change: (header: string) => string = (header) => header): string {
  mkdirSync(folder, { recursive: true });
  const { records, client } = makeRun({ warmupS: 0, durationS: 2 });
  const [header = "", ...lines] = records;
  const sent = lines.map((line, index) => line.replace('"op":', `"input_digest":${index + 1},"op":`));
  writeFileSync(join(folder, FILES.records), [change(header), ...sent].join("\n"));
  writeFileSync(join(folder, FILES.client), client.join("\n"));
  return folder;
}
const setting = (name: string, value: unknown) => (header: string) =>
  header.replace('"rate":', `"${name}":${JSON.stringify(value)},"rate":`);

test("a repeated load stands for its runs, in their order", () => {
  const folder = newFolder();
  writeFileSync(join(folder, FILES.repeat), "{}");
  for (const number of [1, 2, 10]) runIn(join(folder, `run-${number}`));
  mkdirSync(join(folder, "run-3"));
  expect(runFolders(folder)).toEqual([1, 2, 10].map((number) => join(folder, `run-${number}`)));
  expect(runFolders(join(folder, "run-2"))).toEqual([join(folder, "run-2")]);
});

test("what is not there is a usage error", () => {
  expect(() => runFolders(join(newFolder(), "none"))).toThrow("it does not exist. Name the result folder of a load.");
});

test("a run that is given twice is refused, for one side or for both", async () => {
  const [run, other] = [runIn(newFolder()), runIn(newFolder())];
  for (const sides of [
    { base: [run, `${run}/.`], new: [other] },
    { base: [run], new: [other, `${run}/.`] },
  ]) {
    await expect(readSides(sides, [])).rejects.toThrow("was given twice, and does not differ from itself");
  }
});

test("a load that the runners of a cluster shared is one run, and what the base sent is known of the new one", async () => {
  const [whole, other] = [newFolder(), newFolder()];
  const segment = (part: string) => (header: string) => header.replace(/}$/, `,"segment":"${part}"}`);
  for (const folder of [whole, other]) {
    runIn(join(folder, "runners", "r-1"), segment("0:1/2"));
    runIn(join(folder, "runners", "r-2"), segment("1/2:1"));
    mkdirSync(join(folder, "runners", "r-3"));
  }
  const { base, new: next } = await readSides({ base: [whole], new: [other] }, []);
  expect([base, next].map(({ runs }) => runs.map(({ run }) => run.shards?.length))).toEqual([[2], [2]]);
  const [before, after] = [base, next].map(({ runs }) => runs[0]?.run.inputs);
  expect(before?.earlier).toBeUndefined();
  expect(after?.earlier?.repeated).toBe(after?.requests ?? 0);
  await expect(readSides({ base: [whole], new: [runIn(newFolder())] }, [])).resolves.toBeDefined();
});

test("of a folder that holds a report of others, it is said that these are to be named", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "run.json"), "{}");
  await expect(readSides({ base: [folder], new: [runIn(newFolder())] }, [])).rejects.toThrow("name these, which hold");
});

group("runs with", () => {
  const compared = async (change: (header: string) => string) => {
    const [base, next] = [runIn(newFolder()), runIn(newFolder(), change)];
    return readSides({ base: [base], new: [next] }, []);
  };

  test.each([
    ["another target", setting("target", "http://other")],
    ["another model", setting("chatModel", "m-2")],
    ["other objectives", setting("slo", ["ttft_p95<1s"])],
    ["another seed", setting("seed", 7)],
    ["less memory", setting("memoryLimit", 1e9)],
  ])("%s are compared", async (_, change) => {
    expect((await compared(change)).new.runs).toHaveLength(1);
  });

  test.each([
    [
      "another rate",
      (header: string) => header.replace('"rate":20', '"rate":30'),
      "--rate is 20 in the first and 30 in",
    ],
    ["another limit of tokens", setting("maxTokens", 5), "--max-tokens is not set in the first and 5 in"],
    ["other prompts", setting("prompts", "/x/mine.jsonl"), "--prompts is not set in the first and mine.jsonl in"],
    [
      "another scenario",
      (header: string) => header.replace("chat-stream", "chat"),
      "scenario is chat-stream in the first",
    ],
    [
      "a segment",
      (header: string) => header.replace('"seed"', '"segment":"0:1/2","seed"'),
      "--segment is the whole load",
    ],
  ])("%s are not, and the difference is named", async (_, change, message) => {
    await expect(compared(change)).rejects.toThrow(message);
  });
});
