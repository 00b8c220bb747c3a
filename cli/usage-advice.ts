/** What the user is told of a command line that cannot be run: the error, with a hint at the flag or command that was meant. */

import type { Command } from "commander";
import { SETTINGS } from "../settings/all-settings.ts";
import { didYouMean } from "../settings/nearest.ts";
import { type Setting, settingKey } from "../settings/setting.ts";
import { UsageError } from "../settings/usage-error.ts";
import { insteadOf, usageOf } from "./command-settings.ts";

/** @throws UsageError for `help` with a command that is not known */
export function requireKnownHelp(topic: string, { commands }: Command): void {
  const names = commands.map((each) => each.name());
  if (topic.startsWith("-") || ["help", ...names].includes(topic)) return;
  throw new UsageError(`There is no command "${topic}". ${didYouMean(topic, names, "Commands")}`);
}

/** Commander's error with a hint at the flag or command that was meant; `command` is the one that refused its arguments. */
export function advised(given: string, command: Command): string {
  // What follows an option that is not known may be a key.
  const text = given.replace(/'(--[^'=]+)=.*'/, "'$1'");
  const [extra] = /^.*too many arguments/m.test(text) ? command.args.slice(command.registeredArguments.length) : [];
  if (extra !== undefined) return excessArgument(extra, command);
  const missing = missingText(text, command);
  if (missing !== undefined) return missing;
  const [line = "", name] = /^.*unknown (?:option|command) '([^']*)'.*$/m.exec(text) ?? [];
  if (name === undefined) return text;
  const commands = command.commands.map((each) => each.name());
  const known = name.startsWith("-") ? [...command.options.map(({ long }) => long ?? ""), "--help"] : commands;
  const taken = Object.entries<Setting>(SETTINGS).find(
    ([own, setting]) =>
      setting.for.some((each) => each === command.name()) &&
      [setting.insteadOf, setting.takenFor, setting.rare && own].some((each) => `--${settingKey(each || "")}` === name),
  );
  const hint =
    taken === undefined
      ? (insteadOf(name.replace(/^--/, "")) ??
        didYouMean(name, known, "Known", `${callOf(command)} --help lists what it takes.`))
      : `Did you mean "${usageOf(...taken)}"?`;
  return `${line}. ${hint}`;
}

/** A command as it is called, such as `assay k8s run`. */
export const callOf = (command: Command): string =>
  command.parent === null ? command.name() : `${callOf(command.parent)} ${command.name()}`;

/** What a command that needs an argument may be given. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  "assay replay": "out/conformance-1",
  "assay report": "out/load-1",
  "assay history": "out",
  "assay show": "out/load-1 --failed",
  "assay clean-up": "out/load-1 --target https://inference.example",
  "assay completion": "bash",
  "assay ci run": "'load chat-stream' --target https://inference.example",
  "assay ci comment": "out/ci-1",
  "assay k8s collect": "assay-chat-stream-20300102-030405",
};

/** What is said of an argument, or of the value of a flag, that is missing; undefined where none is. */
function missingText(text: string, command: Command): string | undefined {
  const name = callOf(command);
  const [, argument] = /missing required argument '([^']*)'/.exec(text) ?? [];
  const of = command.registeredArguments.find((each) => each.name() === argument);
  if (of !== undefined) {
    return `error: ${name} needs <${argument}> (${of.description}), such as: ${name} ${EXAMPLES[name]}`;
  }
  const [, flags] = /option '(.*)' argument missing/.exec(text) ?? [];
  const option = command.options.find((each) => each.flags === flags);
  return option && `error: ${option.long} needs a value: ${option.flags}. ${name} --help shows what it takes.`;
}

/** What is said of an argument that a command does not take. */
function excessArgument(given: string, command: Command): string {
  const name = callOf(command);
  if (/^https?:/.test(given)) return `error: ${name} takes no address as an argument. Write --target ${given}`;
  const takes = command.registeredArguments.length === 0 ? "no argument" : "fewer arguments";
  return `error: ${name} takes ${takes}, and "${given}" is given. ${name} --help shows how it is called.`;
}
