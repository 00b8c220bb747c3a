/** The pages for users are true as far as it can be said without running them: commands are planned, links lead somewhere, flags exist. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { buildProgram } from "../../../cli/program.ts";
import { ROOT } from "../../../scripts/supply-chain/components.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { commands, KEYS, ofAssay, pages, wordsOf, writeFilesOfPages } from "../../support/pages/docs-commands.ts";

const commandModule = z.object({ command: z.custom<Command>((value) => value instanceof Command) });

/** Commands that other tests and `.ci/run` run whole; this test only checks that npm knows them. */
const NPM = /^npm (?:run )?(\S+)/;

/** Commands that say what they would do, with `--plan`. */
const PLANNED = /^assay (load|search|conformance) /;

describe("a command of the pages", () => {
  test("has arguments and flags that the program knows", async () => {
    for (const line of ofAssay) {
      const program = await buildProgram();
      const ran: string[] = [];
      const all = program.commands.flatMap((command) => [command, ...command.commands]);
      for (const each of all) each.action(() => void ran.push(each.name()));
      await program.parseAsync(["node", ...wordsOf(line)]);
      expect(ran, line).toHaveLength(1);
    }
  });

  test("plans what it says, if it sends requests", async () => {
    const folder = newFolder();
    writeFilesOfPages(folder);
    const planned = ofAssay.filter((command) => PLANNED.test(command) && !/--(list|resume)\b/.test(command));
    expect(planned.length).toBeGreaterThan(40);
    for (const command of planned) {
      const inFuture = command.replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, new Date(Date.now() + 600_000).toISOString());
      const { code, stderr } = await assay([...wordsOf(inFuture).slice(1), "--plan"], KEYS, folder);
      expect(code, `${command}\n${stderr}`).toBe(0);
    }
  });
});

test.each(commands.filter((command) => NPM.test(command)))("%s", (command) => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  expect(Object.keys(scripts)).toContain(NPM.exec(command)?.[1]);
});

test("and there are no others", () => {
  const others = commands.filter((command) => !/^(npx )?assay /.test(command) && !NPM.test(command));
  expect(
    others.filter((command) => !/^(export ASSAY_API_KEY=|ASSAY_TARGET=\S+ npx vitest run|npx biome)/.test(command)),
  ).toEqual([]);
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
    return !existsSync(join(ROOT, file)) || (anchor !== undefined && anchors.get(file)?.has(anchor) !== true);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test("every file that CONTRIBUTING names exists", () => {
  const text = pages.find(({ name }) => name === "CONTRIBUTING.md")?.text ?? "";
  // Results are no part of a checkout, where a command may have left some.
  const folders = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && entry.name !== "out" ? entry.name : [],
  );
  const files = [...text.matchAll(/`([a-z][\w-]*)(\/[\w./-]*)`/g)]
    .filter(([, folder = ""]) => folders.includes(folder))
    .map(([, folder = "", rest = ""]) => folder + rest);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

/** Flags of npm, Docker, k6, a server of models and the script of a release. */
const OF_OTHERS: readonly string[] = [
  "--ignore-scripts",
  "--interrupt_requests",
  "--build-arg",
  "--execution-segment",
  "--dry-run",
  "--request-cancellation-rate",
  "--suite",
];

test("every flag that a page names is one of a command", async () => {
  const helps = await Promise.all(
    readdirSync(join(ROOT, "scripts", "commands")).map(async (file) => {
      const { command } = commandModule.parse(
        await import(new URL(`../../../scripts/commands/${file}`, import.meta.url).href),
      );
      return [command, ...command.commands].map((each) => each.helpInformation()).join("");
    }),
  );
  const known = new Set(helps.flatMap((help) => help.match(/--[a-z][a-z_-]*/g) ?? []));
  const prose = pages.map(({ text }) => text.replaceAll(/```[\s\S]*?```/g, "")).join("\n");
  const named = [...prose.matchAll(/`(--[a-z][a-z_-]*)/g)].map(([, flag = ""]) => flag);
  expect([...new Set(named)].filter((flag) => !known.has(flag) && !OF_OTHERS.includes(flag))).toEqual([]);
});
