/** zsh and fish themselves complete what a user types; bash does so in the end-to-end tests. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { inTurn, newFolder } from "../support/commands/assay-process.ts";

const folder = newFolder();
const script = (shell: string): string => join(folder, `assay.${shell}`);
const env = { ...process.env, HOME: folder };

beforeAll(async () => {
  const shells = ["zsh", "fish"];
  const ended = await inTurn(shells.map((shell) => ({ args: ["completion", shell], env: {}, cwd: folder })));
  for (const [nth, shell] of shells.entries()) writeFileSync(script(shell), ended[nth]?.stdout ?? "");
});

const CASES = [
  ["commands", "assay co", ["compare", "completion", "conformance"]],
  ["scenarios", "assay load chat-", ["chat-stream"]],
  ["flags of a command", "assay load chat --rat", ["--rate"]],
  ["values of a flag", "assay load --shape s", ["smoke", "soak", "spike", "step"]],
  ["the same flag of another command", "assay conformance --profile ", ["openai", "service"]],
  ["commands below a command", "assay k8s col", ["collect"]],
  ["flags of these alone", "assay k8s collect --name", ["--namespace"]],
] as const;

describe("fish completes", () => {
  test.each(CASES)("%s", (_, line, expected) => {
    const args = ["--no-config", "-c", `source ${script("fish")}; complete -C"$argv[1]"`, line];
    const offered = execFileSync("fish", args, { env, encoding: "utf8" }).trim().split("\n");
    expect(offered.map((each) => each.split("\t")[0]).toSorted()).toEqual(expected);
  });
});

describe("zsh completes", () => {
  /** What zsh asks of the function of the script; it shows those that begin with what was typed. */
  const ask = [
    "autoload -Uz compinit; compinit -u -D",
    `source ${script("zsh")}`,
    'words=("$@"); CURRENT=$#; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compgen -F _assay',
  ].join("\n");

  test.each(CASES)("%s", (_, line, expected) => {
    const words = line.split(" ");
    const offered = execFileSync("zsh", ["-f", "-c", ask, "zsh", ...words], {
      env,
      encoding: "utf8",
    });
    const begun = offered.split("\n").filter((word) => word !== "" && word.startsWith(words.at(-1) ?? ""));
    expect(begun.toSorted()).toEqual(expected);
  });

  test("for the name of the program", () => {
    const registered = execFileSync(
      "zsh",
      ["-f", "-c", `${ask.split("\n").slice(0, 2).join("\n")}\nprint $_comps[assay]`],
      {
        env,
        encoding: "utf8",
      },
    );
    expect(registered).toContain("-F _assay");
  });
});
