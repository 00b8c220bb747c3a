/** The pages for users, and the commands in them. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/supply-chain/components.ts";

export const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs")).map((name) => join("docs", name)),
]
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), "utf8") }));

const textOf = (page: string): string => pages.find(({ name }) => name === page)?.text ?? "";

/** The lines of the shell blocks of every page, each once. */
export const commands = [
  ...new Set(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) => block.trim().split("\n")),
    ),
  ),
];

export const ofAssay = [
  ...new Set(
    commands.filter((command) => /^(npx )?assay /.test(command)).map((command) => command.replace("npx ", "")),
  ),
];

/** The words of a command; quotes keep what is between them together. */
export const wordsOf = (command: string): string[] =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ""));

/** The keys that commands name. */
export const KEYS = { ASSAY_API_KEY: "key", TEAM_A_KEY: "key-of-team-a", TEAM_B_KEY: "key-of-team-b" };

/** Writes the files that the pages show, or name, into a folder. */
export function writeFilesOfPages(folder: string): void {
  const scenarios = textOf("docs/own-scenarios.md").matchAll(/```ts\n([\s\S]*?)```/g);
  for (const [nth, [, code = ""]] of [...scenarios].entries()) {
    writeFileSync(join(folder, ["my-scenario.ts", "with-tools.ts"][nth] ?? ""), code);
  }
  for (const [page = "", file = ""] of [
    ["docs/workloads.md", "team-load.yaml"],
    ["docs/inputs.md", "inputs.yaml"],
    ["docs/cost.md", "priced-load.yaml"],
  ]) {
    const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(textOf(page)) ?? [];
    writeFileSync(join(folder, file), yaml.replace("lognormal:5s,1", "10ms"));
  }
  const [, monday = ""] = /```yaml\n(# monday.yaml\n[\s\S]*?)```/.exec(textOf("docs/workloads.md")) ?? [];
  writeFileSync(join(folder, "monday.yaml"), monday);
  const [, traced = ""] = /```json\n(\{"timestamp"[^\n]*\n)```/.exec(textOf("docs/proxy.md")) ?? [];
  const embedded = { timestamp: "2026-11-28T09:00:01.5Z", operation: "embeddings", input_length: 20, tenant: "batch" };
  writeFileSync(join(folder, "monday.jsonl"), `${traced}${JSON.stringify(embedded)}\n`);
  for (const name of ["chats.jsonl", "canaries.jsonl"]) writeFileSync(join(folder, name), '{"prompt": "Hello"}\n');
  writeFileSync(join(folder, "questions.csv"), "prompt,source\nHello,form\n");
}
