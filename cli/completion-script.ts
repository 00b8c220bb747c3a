/** Completion of the command line in a shell: a script made from the program's own commands and flags. Pure. */

import type { Command, Option } from "commander";
import { SCENARIOS } from "../scenarios/scenario-list.ts";
import { SETTINGS } from "../settings/all-settings.ts";
import { type Setting, settingFlag } from "../settings/setting.ts";

/** What may follow the words of a command. */
interface Completed {
  /** `load`, or `k8s run` of a command below another. */
  readonly path: string;
  readonly about: string;
  /** Commands below it, and values of its first argument. */
  readonly words: readonly string[];
  readonly flags: readonly CompletedFlag[];
}

interface CompletedFlag {
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** The scripts, by the shell. zsh runs that of bash through its own emulation. */
const SCRIPTS = {
  bash: (name: string, commands: readonly Completed[]) => bashScript(name, commands),
  zsh: (name: string, commands: readonly Completed[]) =>
    `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(name, commands)}`,
  fish: (name: string, commands: readonly Completed[]) => fishScript(name, commands),
} as const;

export type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS);
export const isShell = (text: string): text is Shell => Object.hasOwn(SCRIPTS, text);

/** The script that completes the commands and flags of a program, ending with a line end. */
export const completionScript = (shell: Shell, program: Command): string =>
  SCRIPTS[shell](program.name(), completedOf(program, []));

function completedOf(command: Command, path: readonly string[]): readonly Completed[] {
  const own: Completed = {
    path: path.join(" "),
    about: command.description(),
    words: [...command.commands.map((each) => each.name()), ...argumentsOf(command)],
    flags: [...command.options.filter(({ hidden }) => !hidden).map((option) => flagOf(option, path)), HELP],
  };
  return [own, ...command.commands.flatMap((each) => completedOf(each, [...path, each.name()]))];
}

const HELP: CompletedFlag = { name: "--help", about: "display help for command", takesValue: false, choices: [] };

const argumentsOf = ({ registeredArguments: [first] }: Command): readonly string[] =>
  first?.name() === "scenario" ? Object.keys(SCENARIOS) : (first?.argChoices ?? []);

function flagOf({ long, description, required, optional }: Option, path: readonly string[]): CompletedFlag {
  const name = long ?? "";
  const setting = Object.entries<Setting>(SETTINGS).find(
    ([key, entry]) =>
      settingFlag(key, entry) === name && entry.for.some((each) => each === path[0] || each === path.join(" ")),
  )?.[1];
  return { name, about: description, takesValue: required || optional, choices: setting?.choices ?? [] };
}

/** What follows a flag with a value of its own is left to the shell, which completes names of files. */
function bashScript(name: string, commands: readonly Completed[]): string {
  const [top, ...others] = commands;
  const nested = others.filter(({ path }) => path.includes(" "));
  const values = others.flatMap(({ path, flags }) => [
    ...flags
      .filter(({ choices }) => choices.length > 0)
      .map((flag) => `    "${path} ${flag.name}") words="${flag.choices.join(" ")}" ;;`),
    ...freeFlags(flags).map((names) => `    ${names.map((each) => `"${path} ${each}"`).join("|")}) return ;;`),
  ]);
  const words = others.map(
    ({ path, words, flags }) =>
      `      "${path}") words="${[...words, ...flags.map((flag) => flag.name)].join(" ")}" ;;`,
  );
  return `# Completion of ${name}.
_${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  case "$command \${COMP_WORDS[2]}" in
    ${nested.map(({ path }) => `"${path}"`).join("|")}) command="$command \${COMP_WORDS[2]}" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && command=""
  case "$command $before" in
${values.join("\n")}
    *) case "$command" in
      "") words="${[...(top?.words ?? []), "help", "--version", "--help"].join(" ")}" ;;
${words.join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _${name} ${name}
`;
}

/** The flags with any value, as one list; no list where there are none. */
function freeFlags(flags: readonly CompletedFlag[]): readonly (readonly string[])[] {
  const free = flags.filter(({ takesValue, choices }) => takesValue && choices.length === 0);
  return free.length === 0 ? [] : [free.map((flag) => flag.name)];
}

function fishScript(name: string, [top, ...others]: readonly Completed[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const first = others.filter(({ path }) => top?.words.includes(path));
  const commands = first.map(
    ({ path, about }) => `complete -c ${name} -n __fish_use_subcommand -f -a ${path} -d ${quoted(about)}`,
  );
  const rest = others.flatMap(({ path, words, flags }) => {
    const below = others.filter((each) => each.path.startsWith(`${path} `)).map((each) => each.path.split(" ").at(-1));
    const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const unseen = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(" ")}`];
    const condition = quoted([...seen, ...unseen].join("; and "));
    return [
      ...(words.length === 0 ? [] : [`complete -c ${name} -n ${condition} -a ${quoted(words.join(" "))}`]),
      ...flags.map(({ name: flag, about, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r" : "";
        return `complete -c ${name} -n ${condition} -l ${flag.slice(2)}${value} -d ${quoted(about)}`;
      }),
    ];
  });
  return `# Completion of ${name}.\n${[...commands, ...rest].join("\n")}\n`;
}
