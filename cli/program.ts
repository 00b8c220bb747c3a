/** The command line: runs the requested command, and turns what it throws into an exit code. */

import { closeSync } from "node:fs";
import { isatty } from "node:tty";
import { Command, type CommanderError } from "commander";
import { isObject } from "../lib/json.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { endOutput, notify, print, printError, printJsonOnly, startError } from "./console.mjs";
import { EXIT, InconclusiveError } from "./exit-codes.ts";
import { interruptWithParent, onUnwatchedInterrupt } from "./interrupt.ts";
import { keepOnlySecretsOf } from "./secrets.ts";
import { shortenHelp } from "./short-help.ts";
import { VERSION } from "./tool.mjs";

/**
 * The commands, each a module of `scripts/commands/`, by what they are for: the headings of the help. What a command does stands
 * here, so that the help loads none; a module describes its command only where there is more to say.
 */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Conformance: {
    conformance: "check a target against every statement of the specification",
    proxy: "forward traffic to a target, unchanged, and check it until a signal ends it",
    replay: "check the recorded exchanges of a conformance run again, without network",
  },
  Load: {
    load: "load a target and measure it",
    search: "find the highest rate, or number of users, that meets the objectives",
    compare: "compare load runs: better, worse, same or inconclusive, per metric",
    calibrate: "measure the timing error of this machine",
  },
  "Load from other machines": {
    bundle: "write a load as a folder for a k6 on another machine",
    k8s: "write a load as manifests for k6-operator, or run it on a cluster",
  },
  Results: {
    report: "regenerate the reports of a run; merge shards; compare several targets",
    history: "show many results on one page: trends, verdicts, what changed and when",
    show: "show requests of a load: one by its id, or those that failed or were the slowest",
    sql: "query the requests, gaps and tasks of loads as tables",
    "clean-up": "cancel the video tasks that a killed run left open",
    ci: "run a gate in a CI system, and report it to the system and the pull request",
  },
  "Installation and mock": {
    init: "write starter files for a target: settings, a workload, a baseline, a workflow",
    completion: "print a script that completes commands and flags in a shell",
    doctor: "check the installation; build and send nothing",
    demo: "check and load the bundled mock, and write a report",
    mock: "run the bundled mock of the service until a signal ends it",
  },
};

/** A command line that commander refuses, or has answered by itself, as with the help. */
class Ended extends Error {
  readonly by: CommanderError;
  readonly command: Command;

  constructor(by: CommanderError, command: Command) {
    super(by.message);
    this.by = by;
    this.command = command;
  }
}

/**
 * Runs `assay` and sets the exit code of the process.
 * @param argv as in `process.argv`
 */
export async function main(argv: readonly string[]): Promise<void> {
  printJsonOnly(argv.includes("--json"));
  keepOnlySecretsOf(process.env);
  handleLostOutput();
  handleLostTerminal();
  handleUncaught();
  onUnwatchedInterrupt(() => {
    printError("Interrupted before the end.", "inconclusive");
    process.exit(EXIT.inconclusive);
  });
  interruptWithParent();
  try {
    const [, , first, topic] = argv;
    const program = await buildProgram((name) => name === (first === "help" ? topic : first));
    if (argv.some((word) => ["help", "--help", "-h"].includes(word))) shortenHelp(program, argv);
    if (first === "help" && topic === "settings") {
      const { rareSettingsTopic } = await import("./command-settings.ts");
      const term = ({ flags }: { readonly flags: string }): string => flags.replace("--", "").replace(" ", "=");
      const topic = configured(rareSettingsTopic(), program).configureHelp({ optionTerm: term });
      program.addCommand(topic, { hidden: true });
    }
    if (first === "help" && topic !== undefined) (await usageAdvice()).requireKnownHelp(topic, program);
    if (argv.length > 2) await program.parseAsync([...argv]);
    else program.outputHelp();
  } catch (error) {
    process.exitCode = error instanceof Ended ? await ended(error) : report(error);
  }
  endOutput();
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

/**
 * The program, with what each of its commands does.
 * @param isLoaded whether a command, by its name, is wanted with its flags: loading each takes time
 */
export async function buildProgram(isLoaded: (name: string) => boolean = () => true): Promise<Command> {
  // Positional: what comes after the name of a command is for that one, and the one above it may have the same flags.
  const program = new Command("assay")
    .description("Conformance and load tests for deployments of the Model Inference Service API.")
    .version(VERSION)
    .showSuggestionAfterError(false)
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() });
  settle(program);
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${group}:`);
    for (const [name, summary] of Object.entries(commands)) {
      const command = isLoaded(name) ? await loadedCommand(name) : new Command(name);
      if (command.description() === "") command.description(summary);
      program.addCommand(configured(command.summary(summary), program));
    }
  }
  return program.helpCommand("help [command]", "display help for command");
}

async function loadedCommand(name: string): Promise<Command> {
  const module: { readonly command?: unknown } = await import(`../scripts/commands/${name}.ts`);
  if (module.command instanceof Command) return module.command;
  throw new Error(`Cannot load the command ${name}: its module exports no command.`);
}

/** A command, and those below it, with what the whole program has set. */
function configured(command: Command, parent: Command): Command {
  settle(command.copyInheritedSettings(parent));
  for (const each of command.commands) configured(each, command);
  return command;
}

/** Sets where a command prints, and how it ends: an error is printed by `main`, with advice. */
const settle = (command: Command): Command =>
  command
    .configureOutput({
      writeOut: print,
      writeErr: (text) => notify(text.trimEnd()),
      outputError: () => undefined,
    })
    .exitOverride((by) => {
      throw new Ended(by, command);
    });

/** Prints why a command line cannot be run. @returns the exit code */
async function ended({ by, command }: Ended): Promise<number> {
  if (by.exitCode === 0) return EXIT.passed;
  printError((await usageAdvice()).advised(by.message, command), "usage");
  return EXIT.usage;
}

/** Loaded where it is needed: it knows all settings. */
const usageAdvice = () => import("./usage-advice.ts");

function report(error: unknown): number {
  const { message, code } = described(error);
  printError(message, code);
  return code === "inconclusive" ? EXIT.inconclusive : EXIT.usage;
}

/** The message of an error, and its kind as `--json` names it. */
function described(error: unknown): { readonly message: string; readonly code: string } {
  if (error instanceof InconclusiveError) return { message: error.message, code: "inconclusive" };
  if (error instanceof UsageError || !(error instanceof Error)) return { message: reasonOf(error), code: "usage" };
  if (FULL_OR_LOCKED.includes(isObject(error) ? error["code"] : undefined)) {
    const message = `Cannot write a file: ${error.message}. Free space on its disk, or use a folder that this user may write to.`;
    return { message, code: "machine" };
  }
  if (isObject(error) && error["code"] === "EMFILE") return { message: startError(error), code: "machine" };
  return { message: `Internal error: ${error.stack ?? error.message}`, code: "internal" };
}
