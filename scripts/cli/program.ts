/** The command line: runs the requested command, and turns what it throws into an exit code. */

import { closeSync } from "node:fs";
import { isatty } from "node:tty";
import { Command, CommanderError, type OutputConfiguration } from "commander";
import { z } from "zod";
import { isObject } from "../../lib/json.ts";
import { SETTINGS } from "../../settings/all-settings.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { type Setting, settingKey } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { insteadOf } from "./command-settings.ts";
import { notify, print, startError } from "./console.mjs";
import { EXIT, InconclusiveError } from "./exit-codes.ts";
import { onUnwatchedInterrupt } from "./interrupt.ts";
import { keepSecret, secretsIn } from "./secrets.ts";
import { VERSION } from "./tool.ts";

/** The commands, each a module of `scripts/commands/`, by what they are for: the headings of the help. */
const COMMANDS = {
  Conformance: ["conformance", "proxy", "replay"],
  Load: ["load", "search", "compare", "calibrate"],
  "Load from other machines": ["bundle", "k8s"],
  Results: ["report", "show", "clean-up"],
  "Installation and mock": ["doctor", "demo", "mock"],
} as const;

const commandModule = z.object({ command: z.custom<Command>((value) => value instanceof Command) });

/**
 * Runs `assay` and sets the exit code of the process.
 * @param argv as in `process.argv`
 */
export async function main(argv: readonly string[]): Promise<void> {
  keepSecret(secretsIn(process.env));
  handleLostOutput();
  handleLostTerminal();
  handleUncaught();
  onUnwatchedInterrupt(() => {
    notify("Interrupted before the end.");
    process.exit(EXIT.inconclusive);
  });
  try {
    const program = await buildProgram(argv[2]);
    if (argv.length > 2) {
      requireKnownHelp(argv, program);
      await program.parseAsync([...argv]);
    } else program.outputHelp();
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** @throws UsageError for `help` with a command that is not known */
function requireKnownHelp([, , first, topic]: readonly string[], { commands }: Command): void {
  const names = commands.map((each) => each.name());
  if (first !== "help" || topic === undefined || topic.startsWith("-") || ["help", ...names].includes(topic)) return;
  throw new UsageError(`There is no command "${topic}". ${didYouMean(topic, names, "Commands")}`);
}

/** A reader that stopped reading (`assay … | head`) and a terminal that was closed: nobody is left to be informed. */
const NO_READER: readonly (string | undefined)[] = ["EPIPE", "EIO"];

/**
 * Output that cannot be written never ends the work, which may have paid tasks to cancel. Where somebody may want it, as on
 * a full disk, that is said and the exit code shows it.
 */
function handleLostOutput(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (NO_READER.includes(code)) return;
    notify(`Cannot print the result: ${message}. Free space, or print it elsewhere.`);
    process.once("exit", () => {
      process.exitCode = EXIT.usage;
    });
  });
}

/** Of a disk that takes nothing more, whichever file was to be written. */
const FULL_OR_LOCKED: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EROFS"];

/** Node restores the modes of its terminals when it ends, and aborts (exit code 134) where one is gone: close those before. */
function handleLostTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.once("exit", () => {
    for (const descriptor of terminals) {
      if (!isatty(descriptor)) closeSync(descriptor);
    }
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
export async function buildProgram(requested?: string): Promise<Command> {
  // Positional: what comes after the name of a command is for that one, and the one above it may have the same flags.
  const program = new Command("assay")
    .description("Conformance and load tests for deployments of the Model Inference Service API.")
    .version(VERSION)
    .showSuggestionAfterError(false)
    .enablePositionalOptions()
    .exitOverride();
  program.configureOutput(outputOf(program));
  const groups = Object.entries<readonly string[]>(COMMANDS);
  const isCommand = groups.some(([, names]) => names.includes(requested ?? ""));
  for (const [group, names] of groups) {
    program.commandsGroup(`${group}:`);
    for (const name of names) {
      if (isCommand && name !== requested) continue;
      const { command } = commandModule.parse(await import(new URL(`../commands/${name}.ts`, import.meta.url).href));
      program.addCommand(configured(command, program));
    }
  }
  return program.helpCommand("help [command]", "display help for command");
}

/** A command, and those below it, with what the whole program has set. */
function configured(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent).configureOutput(outputOf(command));
  for (const each of command.commands) configured(each, command);
  return command;
}

/** Where a command prints its help and its errors. */
const outputOf = (command: Command): OutputConfiguration => ({
  writeOut: print,
  writeErr: (text) => notify(text.trimEnd()),
  outputError: (text, write) => write(advised(text, command)),
});

/** Commander's error with a hint at the flag or command that was meant. */
function advised(given: string, command: Command): string {
  // What follows an option that is not known may be a key.
  const text = given.replace(/'(--[^'=]+)=.*'/, "'$1'");
  const [extra] = /^.*too many arguments/m.test(text) ? command.args.slice(command.registeredArguments.length) : [];
  if (extra !== undefined) return `${excessArgument(extra, command)}\n`;
  const [line = "", name] = /^.*unknown (?:option|command) '([^']*)'.*$/m.exec(text) ?? [];
  if (name === undefined) return text;
  const commands = command.commands.map((each) => each.name());
  const known = name.startsWith("-") ? [...command.options.map(({ long }) => long ?? ""), "--help"] : commands;
  const taken = Object.entries<Setting>(SETTINGS).find(
    ([, setting]) =>
      setting.for.some((each) => each === command.name()) && `--${settingKey(setting.insteadOf ?? "")}` === name,
  );
  const hint =
    taken === undefined
      ? (insteadOf(name.replace(/^--/, "")) ??
        didYouMean(name, known, "Known", `assay ${command.name()} --help lists what it takes.`))
      : `Did you mean "--${settingKey(taken[0])}"?`;
  return `${line}. ${hint}\n`;
}

/** What is said of an argument that a command does not take. */
function excessArgument(given: string, command: Command): string {
  const name = `assay ${command.name()}`;
  if (/^https?:/.test(given)) return `error: ${name} takes no address as an argument. Write --target ${given}`;
  const takes = command.registeredArguments.length === 0 ? "no argument" : "fewer arguments";
  return `error: ${name} takes ${takes}, and "${given}" is given. ${name} --help shows how it is called.`;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.usage;
  notify(messageFor(error));
  return error instanceof InconclusiveError ? EXIT.inconclusive : EXIT.usage;
}

function messageFor(error: unknown): string {
  if (error instanceof UsageError || error instanceof InconclusiveError || !(error instanceof Error)) {
    return reasonOf(error);
  }
  if (FULL_OR_LOCKED.includes(isObject(error) ? error["code"] : undefined)) {
    return `Cannot write a file: ${error.message}. Free space on its disk, or use a folder that this user may write to.`;
  }
  if (isObject(error) && error["code"] === "EMFILE") return startError(error);
  return `Internal error: ${error.stack ?? error.message}`;
}
