/** The script for bash completes what a user types; that for zsh is the same behind two lines, that for fish is checked as text. */

import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { type Ended, inTurn, newFolder } from "../../support/commands/assay-process.ts";

let [bash, zsh, fish, unknown]: readonly Ended[] = [];
beforeAll(async () => {
  const shells = ["bash", "zsh", "fish", "powershell"];
  const commands = shells.map((shell) => ({ args: ["completion", shell], env: {}, cwd: newFolder() }));
  [bash, zsh, fish, unknown] = await inTurn(commands);
});

/** What bash offers after these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const script = `${bash?.stdout}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

test.each([
  ["commands", ["assay", "co"], ["compare", "completion", "conformance"]],
  ["scenarios", ["assay", "load", "chat-"], ["chat-stream"]],
  ["flags of a command", ["assay", "load", "chat", "--rat"], ["--rate"]],
  ["values of a flag", ["assay", "load", "--shape", "s"], ["smoke", "soak", "spike", "step"]],
  ["the same flag of another command", ["assay", "conformance", "--profile", ""], ["openai", "service"]],
  ["commands below a command", ["assay", "k8s", "col"], ["collect"]],
  ["flags of these", ["assay", "k8s", "collect", "--name"], ["--namespace"]],
  ["shells", ["assay", "completion", "z"], ["zsh"]],
  ["nothing for a value that may be a file", ["assay", "load", "--out", ""], []],
])("bash completes %s", (_, words, expected) => {
  expect(offered(...words).toSorted()).toEqual(expected);
});

test("zsh runs the script of bash", () => {
  expect(zsh?.stdout.replace(/^autoload.*\n/gm, "")).toBe(bash?.stdout);
});

test("fish has a line per command and flag, with quotes that end", () => {
  const lines = fish?.stdout.trim().split("\n") ?? [];
  expect(lines).toContain(
    "complete -c assay -n '__fish_seen_subcommand_from mock' -l list-faults -d 'print every timing, permitted variant and fault, then exit'",
  );
  for (const line of lines.slice(1)) expect(line.replace(/\\./g, "").split("'").length % 2, line).toBe(1);
});

test("another shell is a usage error", () => {
  expect(unknown?.stderr).toContain('Cannot complete in "powershell": "powershell" is not one of bash, zsh, fish');
  expect(unknown?.code).toBe(3);
});
