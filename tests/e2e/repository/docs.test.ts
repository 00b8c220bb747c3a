/** The pages for users are true: every command in them runs, every link leads somewhere, every flag exists. */

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ensureK6 } from "../../../scripts/toolchain/find-k6.mjs";
import { assay, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const pages = ["README.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).map((name) => join("docs", name))]
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/** The lines of the shell blocks of every page, each once. */
const commands = [
  ...new Set(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) => block.trim().split("\n")),
    ),
  ),
];
const ofAssay = commands
  .filter((command) => /^(npx )?assay /.test(command))
  .map((command) => command.replace("npx ", ""));

const commandModule = z.object({ command: z.custom<Command>((value) => value instanceof Command) });

/** Commands that other tests and `.ci/run` run whole; this test only checks that npm knows them. */
const NPM = /^npm (?:run )?(\S+)/;

const folder = newFolder();
let target: string;

const KEYS = { ASSAY_API_KEY: "key", TEAM_A_KEY: "key-of-team-a", TEAM_B_KEY: "key-of-team-b" };

beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant")).url;
  const scenarios = (pages.find(({ name }) => name === "docs/own-scenarios.md")?.text ?? "").matchAll(
    /```ts\n([\s\S]*?)```/g,
  );
  for (const [nth, [, code = ""]] of [...scenarios].entries()) {
    writeFileSync(join(folder, ["my-scenario.ts", "with-tools.ts"][nth] ?? ""), code);
  }
  for (const [page, file] of [
    ["docs/workloads.md", "team-load.yaml"],
    ["docs/inputs.md", "inputs.yaml"],
  ]) {
    const { text } = pages.find(({ name }) => name === page) ?? { text: "" };
    writeFileSync(
      join(folder, file ?? ""),
      /```yaml\n([\s\S]*?)```/.exec(text)?.[1]?.replace("lognormal:5s,1", "10ms") ?? "",
    );
  }
  for (const name of ["chats.jsonl", "canaries.jsonl"]) writeFileSync(join(folder, name), '{"prompt": "Hello"}\n');
  const shape = ["load", "chat", "--target", target, "--rate", "40", "--duration", "1s", "--warmup", "0"];
  const shards = ["1", "2", "3", "4"].map((part) =>
    assay([...shape, "--segment", `${part}/4`, "--out", `shard-${part}`], {}, folder),
  );
  const named = ["--name", "nightly", "--tag", "branch=main", "--tag", "region=eu", "--out", "results/nightly"];
  shards.push(assay([...shape, ...named], {}, folder));
  const runs = await Promise.all([...shards, assay(["conformance", "--target", target, "--out", "DIR"], {}, folder)]);
  for (const vendor of ["a", "b", "c"])
    cpSync(join(folder, "DIR"), join(folder, `vendor-${vendor}`), { recursive: true });
  cpSync(join(folder, "shard-1"), join(folder, "branch"), { recursive: true });
  for (const { code, stderr } of runs) expect(code, stderr).not.toBe(3);
});

const SHORT = "--duration 1s --warmup 0";

/** The command with a short duration, in place of its own or of the default. */
const shortened = (command: string): string =>
  command.startsWith("assay load") && !command.includes("--duration")
    ? `${command} ${SHORT}`
    : command.replace(/--duration \S+/, SHORT).replace(/ over \d+s'/, " over 1s'");

/** The words of a command; quotes keep what is between them together. */
const wordsOf = (command: string): string[] =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ""));

/** What a reader puts in place of the values of an example, and shorter times. */
const asRun = (command: string): string[] =>
  wordsOf(
    shortened(command)
      .replace("https://inference.example", target)
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, new Date(Date.now() + 25_000).toISOString())
      .replace("assay history out", "assay history results")
      .replace("out/main-2", "shard-2")
      .replace("3f6c0c2e-17", requestIn("shard-1"))
      .replace("in every 1m", "in every 1s")
      .replace("--new repeated", "--new shard-3")
      .replace("out/main", "shard-1")
      .replace("out/branch", "branch")
      .replace(/think-time=\S+/, "think-time=10ms")
      .replace(/--repeat \d+/, "--repeat 2 --set repeat-pause=0s")
      .replace(/--out \S+/, `--out ${join(newFolder(), "results")}`),
  ).slice(1);

/** The id of a request of a run. */
const requestIn = (run: string): string =>
  /"id":"([^"]+)"/.exec(readFileSync(join(folder, run, "records.jsonl"), "utf8"))?.[1] ?? "";

describe.concurrent("every command of the pages runs", () => {
  const served = ofAssay.filter((command) => /^assay (mock|proxy)(?!.*--list)/.test(command));
  const calibrations = ofAssay.filter((command) => command.startsWith("assay calibrate"));
  const plain = ofAssay.filter((command) => !served.includes(command) && !calibrations.includes(command));

  test.for(plain)("%s", async (command, { expect }) => {
    const { code, stderr } = await assay(asRun(command), KEYS, folder);
    expect(code, stderr).not.toBe(3);
  });

  test.for(served)("%s", async (command, { expect }) => {
    const { child, ended, until } = startAssay(asRun(command), {}, newFolder());
    await until(/ready (\S+)/);
    child.kill("SIGINT");
    // A proxy without traffic has verified nothing.
    expect((await ended).code).toBe(command.startsWith("assay proxy") ? 2 : 0);
  });

  test.for(calibrations)("%s", async (command, { expect }) => {
    const ledger = join(newFolder(), "ledger.jsonl");
    const { url } = await startMockProcess("--timing", "instant", "--output-tokens", "10", "--ledger", ledger);
    const args = asRun(command.replace("http://127.0.0.1:8080", url).replace("ledger.jsonl", ledger));
    // The last calibration of the machine stays as it is.
    const env = { XDG_CACHE_HOME: newFolder(), ASSAY_K6: (await ensureK6()).path };
    const { code, stderr } = await assay([...args, "--streams", "2"], env, newFolder());
    expect(code, stderr).not.toBe(3);
  });

  test.each(commands.filter((command) => NPM.test(command)))("%s", (command) => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    expect(Object.keys(scripts)).toContain(NPM.exec(command)?.[1]);
  });

  test("and there are no others", () => {
    const others = commands.filter((command) => !/^(npx )?assay /.test(command) && !NPM.test(command));
    expect(
      others.filter((command) => !/^(export ASSAY_API_KEY=|ASSAY_TARGET=\S+ npx vitest run|npx biome)/.test(command)),
    ).toEqual([]);
  });
});

/** The heading as an address, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const anchors = new Map(
  pages.map(({ name, text }) => [
    name,
    new Set(
      [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
        anchorOf(heading),
      ),
    ),
  ]),
);

test.each(pages)("every link of $name leads to a file, and to a heading of it", ({ name, text }) => {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  const broken = links.filter(([, link = "", anchor]) => {
    const file = link === "" ? name : join(dirname(name), link);
    return !existsSync(join(root, file)) || (anchor !== undefined && anchors.get(file)?.has(anchor) !== true);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test("every file that CONTRIBUTING names exists", () => {
  const text = pages.find(({ name }) => name === "CONTRIBUTING.md")?.text ?? "";
  // Results are no part of a checkout, where a command may have left some.
  const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && entry.name !== "out" ? entry.name : [],
  );
  const files = [...text.matchAll(/`([a-z][\w-]*)(\/[\w./-]*)`/g)]
    .filter(([, folder = ""]) => folders.includes(folder))
    .map(([, folder = "", rest = ""]) => folder + rest);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

/** Flags of npm, Docker, k6 and the script of a release. */
const OF_OTHERS: readonly string[] = [
  "--ignore-scripts",
  "--build-arg",
  "--execution-segment",
  "--dry-run",
  "--request-cancellation-rate",
];

test("every flag that a page names is one of a command", async () => {
  const helps = await Promise.all(
    readdirSync(join(root, "scripts", "commands")).map(async (file) => {
      const { command } = commandModule.parse(
        await import(new URL(`../../../scripts/commands/${file}`, import.meta.url).href),
      );
      return [command, ...command.commands].map((each) => each.helpInformation()).join("");
    }),
  );
  const known = new Set(helps.flatMap((help) => help.match(/--[a-z][a-z-]*/g) ?? []));
  const prose = pages.map(({ text }) => text.replaceAll(/```[\s\S]*?```/g, "")).join("\n");
  const named = [...prose.matchAll(/`(--[a-z][a-z-]*)/g)].map(([, flag = ""]) => flag);
  expect([...new Set(named)].filter((flag) => !known.has(flag) && !OF_OTHERS.includes(flag))).toEqual([]);
});
