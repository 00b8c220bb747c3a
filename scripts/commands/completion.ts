/** `assay completion`: prints what makes a shell complete commands and flags. */

import { Argument, Command } from "commander";
import { jsonFlag } from "../../cli/command-settings.ts";
import { completionScript, isShell, SHELLS } from "../../cli/completion-script.ts";
import { print } from "../../cli/console.mjs";
import { buildProgram } from "../../cli/program.ts";
import { notOneOf } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";

const EXAMPLES = `
Examples, for each shell that is started from then on:
  bash  assay completion bash >> ~/.bashrc
  zsh   assay completion zsh >> ~/.zshrc
  fish  assay completion fish > ~/.config/fish/completions/assay.fish
`;

const shell = new Argument("<shell>", SHELLS.join(", "));
shell.argChoices = SHELLS;

export const command = new Command("completion")
  .addArgument(shell)
  .addOption(jsonFlag())
  .addHelpText("after", EXAMPLES)
  .action(async (name: string) => {
    if (!isShell(name)) throw new UsageError(`Cannot complete in "${name}": ${notOneOf(name, SHELLS)}`);
    print(completionScript(name, await buildProgram()));
  });
