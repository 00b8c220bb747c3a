/**
 * Every command of the pages for users runs, except loads that flags alone describe: `pages.test.ts` plans those, and has what can be said
 * of the others without running them.
 */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { assay, inTurn, newFolder } from "../../support/commands/assay-process.ts";
import { runHosted } from "../../support/commands/command-hosts.ts";
import { FEW_USERS } from "../../support/commands/load-to-end.ts";
import { KEYS, ofAssay, wordsOf, writeFilesOfPages } from "../../support/pages/docs-commands.ts";
import { mockOfTest, startMockProcess } from "../../support/targets/spawned-mock.ts";

const folder = newFolder();
let target: string;

beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant")).url;
  writeFilesOfPages(folder);
  const shape = ["load", "chat", "--target", target, "--rate", "40", "--duration", "1s", "--warmup", "0"];
  const shard = (part: number) => [...shape, "--segment", `${part}/4`, "--out", `shard-${part}`];
  const named = ["--name", "nightly", "--tag", "branch=main", "--tag", "region=eu", "--out", "results/nightly"];
  const clauses = ["conformance", "--target", target, "--out", "DIR"];
  // No more at once than tests are, each of which then finds a process.
  const pairs = [
    [shard(1), shard(2)],
    [shard(3), shard(4)],
    [[...shape, ...named], clauses],
  ];
  const runs = await Promise.all(pairs.map((pair) => inTurn(pair.map((args) => ({ args, env: {}, cwd: folder })))));
  for (const vendor of ["a", "b", "c"])
    cpSync(join(folder, "DIR"), join(folder, `vendor-${vendor}`), { recursive: true });
  cpSync(join(folder, "results/nightly"), join(folder, "results/weekly"), { recursive: true });
  cpSync(join(folder, "shard-1"), join(folder, "branch"), { recursive: true });
  for (const { code, stderr } of runs.flat()) expect(code, stderr).not.toBe(3);
});

const SHORT = "--duration 1s --warmup 0";

/** The command with a short duration, in place of its own or of the default, and few virtual users. */
const shortened = (command: string): string =>
  (command.startsWith("assay load") && !command.includes("--duration")
    ? `${command} ${SHORT}`
    : command.replace(/--duration \S+/, SHORT).replace(/ over \d+s'/, " over 1s'")
  ).replace(/^assay load(?!.*--vus)/, ["$&", ...FEW_USERS].join(" "));

/** What a reader puts in place of the values of an example, and shorter times. */
const asRun = (command: string): string[] =>
  wordsOf(
    shortened(command)
      .replace("https://inference.example", target)
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, new Date(Date.now() + 25_000).toISOString())
      .replace("assay history out", "assay history results")
      .replace("out/main-2", "shard-2")
      .replace("0b5fd2c6-8a41-4c39-9e6d-000000000011", requestIn("shard-1"))
      .replace("in every 1m", "in every 1s")
      .replace("--new repeated", "--new shard-3")
      .replace("out/main", "shard-1")
      .replace("out/branch", "branch")
      .replace(/think-time=\S+/, "think-time=10ms")
      .replace(/--port \d+/, "--port 0")
      .replace(/--grid rate=\S+/, "--grid rate=5,10 --set repeat-pause=0s")
      .replace(/--repeat \d+/, "--repeat 2 --set repeat-pause=0s")
      .replace(/--out \S+/, `--out ${join(newFolder(), "results")}`),
  ).slice(1);

/** The id of a request of a run. */
const requestIn = (run: string): string =>
  /"id":"([^"]+)"/.exec(readFileSync(join(folder, run, "records.jsonl"), "utf8"))?.[1] ?? "";

/** Names a scenario, a workload, prompts or a trace of the pages, or needs what a load writes. */
const NAMES_A_FILE = /\.(?:ts|yaml|jsonl|csv)\b|--(?:repeat|grid)/;
const isPlanned = (command: string): boolean =>
  / --plan\b/.test(command) || (command.startsWith("assay load") && !NAMES_A_FILE.test(command));

describe.concurrent("every command of the pages runs", () => {
  const served = ofAssay.filter((command) => /^assay (mock|proxy)(?!.*--list)/.test(command));
  const calibrations = ofAssay.filter((command) => command.startsWith("assay calibrate"));
  const plain = ofAssay.filter((command) => ![...served, ...calibrations].includes(command) && !isPlanned(command));

  test.for(plain)("%s", async (command, { expect }) => {
    const { code, stderr } = await assay(asRun(command), KEYS, folder);
    expect(code, stderr).not.toBe(3);
  });

  test.for(served)("%s", async (command, { expect }) => {
    const { ended, until, signal } = runHosted({ args: asRun(command), env: {}, cwd: newFolder() });
    await until(/ready (\S+)/);
    signal("SIGINT");
    // A proxy without traffic has verified nothing.
    expect((await ended).code).toBe(command.startsWith("assay proxy") ? 2 : 0);
  });

  test.for(calibrations)("%s", async (command, context) => {
    const ledger = join(newFolder(), "ledger.jsonl");
    const { url } = await mockOfTest(context, "--timing", "instant", "--output-tokens", "10", "--ledger", ledger);
    const args = asRun(command.replace("http://127.0.0.1:8080", url).replace("ledger.jsonl", ledger));
    const { code, stderr } = await assay([...args, "--streams", "2"], {}, newFolder());
    context.expect(code, stderr).not.toBe(3);
  });
});
