/** The command line: finds the commands in their folder, runs the requested one, turns what it throws into an exit code. */

import { readdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Command, CommanderError, type OutputConfiguration } from "commander";
import { z } from "zod";
import { SETTINGS } from "../../settings/all-settings.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { type Setting, settingKey } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { notify, print } from "./console.mjs";
import { EXIT, InconclusiveError } from "./exit-codes.ts";
import { VERSION } from "./tool.ts";

const commandsFolder = fileURLToPath(new URL("../commands/", import.meta.url));
const commandModule = z.object({ command: z.custom<Command>((value) => value instanceof Command) });

/**
 * Runs `assay` and sets the exit code of the process.
 * @param argv as in `process.argv`
 */
export async function main(argv: readonly string[]): Promise<void> {
  handleClosedPipe();
  handleUncaught();
  try {
    const program = await buildProgram(argv[2]);
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** The reader of our output may stop reading (`assay … | head`): that is not an error, and nobody is left to be informed. */
function handleClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/** Node ends with 1 after an uncaught error, but 1 means that the target failed. */
function handleUncaught(): void {
  process.on("uncaughtException", (error) => {
    report(error);
    process.exit(EXIT.usage);
  });
}

/** The program with all its commands, or only with the requested one: loading each takes time. */
async function buildProgram(requested: string | undefined): Promise<Command> {
  const program = new Command("assay")
    .description("Conformance and load tests for deployments of the Model Inference Service API.")
    .version(VERSION)
    .showSuggestionAfterError(false)
    .exitOverride();
  program.configureOutput(outputOf(program));
  const files = readdirSync(commandsFolder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const wanted = files.includes(`${requested}.ts`) ? [`${requested}.ts`] : files.sort();
  for (const file of wanted) {
    const { command } = commandModule.parse(await import(pathToFileURL(commandsFolder + file).href));
    command.copyInheritedSettings(program).configureOutput(outputOf(command));
    program.addCommand(command);
  }
  return program;
}

/** Where a command prints its help and its errors. */
const outputOf = (command: Command): OutputConfiguration => ({
  writeOut: print,
  writeErr: (text) => notify(text.trimEnd()),
  outputError: (text, write) => write(advised(text, command)),
});

/** Commander's error with a hint at the flag or command that was meant. */
function advised(text: string, command: Command): string {
  const [line = "", name] = /^.*unknown (?:option|command) '([^']*)'.*$/m.exec(text) ?? [];
  if (name === undefined) return text;
  const commands = command.commands.map((each) => each.name());
  const known = name.startsWith("-") ? command.options.map(({ long }) => long ?? "") : commands;
  const taken = Object.entries<Setting>(SETTINGS).find(
    ([, setting]) =>
      setting.for.some((each) => each === command.name()) && `--${settingKey(setting.insteadOf ?? "")}` === name,
  );
  const hint = taken === undefined ? didYouMean(name, known, "Known") : `Did you mean "--${settingKey(taken[0])}"?`;
  return `${line}. ${hint}\n`;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.usage;
  const expected = error instanceof UsageError || error instanceof InconclusiveError || !(error instanceof Error);
  notify(expected ? reasonOf(error) : `Internal error: ${error.stack ?? error.message}`);
  return error instanceof InconclusiveError ? EXIT.inconclusive : EXIT.usage;
}
