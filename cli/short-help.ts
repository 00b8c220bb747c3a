/** The help of a command on one screen: its common flags, an example and what its exit codes mean. `--help all` lists every flag. */

import { type Command, Help, type HelpConfiguration, Option } from "commander";

interface Common {
  /** Flags that most uses of a command need: those that a first use needs come first. */
  readonly flags: readonly string[];
  /** Where its own help has none. */
  readonly example?: string;
}

export const COMMON: Readonly<Record<string, Common>> = {
  conformance: {
    flags: ["target", "video", "only", "profile", "out", "plan", "list", "baseline", "fail-on", "chat-model"],
    example: "assay conformance --target https://inference.example --video",
  },
  load: {
    flags: ["target", "rate", "duration", "slo", "out", "plan", "vus", "shape", "warmup", "workload", "chat-model"],
  },
  search: {
    flags: ["target", "slo", "rate", "max", "out", "plan", "vus", "duration", "probe-duration"],
  },
  proxy: {
    flags: ["target", "port", "host", "out", "only", "profile", "redact-bodies"],
    example: "assay proxy --target https://inference.example --port 8080",
  },
  bundle: { flags: ["target", "rate", "duration", "slo", "out", "vus", "shape", "warmup", "workload", "chat-model"] },
  k8s: { flags: ["target", "runners", "image", "key-secret", "rate", "duration", "out"] },
  "k8s run": {
    flags: ["target", "runners", "image", "namespace", "key-secret", "rate", "duration", "slo", "workload", "out"],
  },
  mock: {
    flags: ["port", "timing", "ttft", "itl", "output-tokens", "fault", "behaviour", "list-faults"],
    example: "assay mock --port 8080 --timing typical",
  },
};

/** Commands whose exit code is a verdict. */
const WITH_VERDICT = [
  "conformance",
  "load",
  "search",
  "proxy",
  "replay",
  "report",
  "compare",
  "demo",
  "k8s run",
  "k8s collect",
];
const EXIT_CODES = "Exit codes: 0 passed, 1 failed, 2 inconclusive, 3 wrong use or internal error";

/** Whether every flag is asked for: `assay load --help all`. */
const wantsAll = (argv: readonly string[]): boolean =>
  argv.some((word, index) => ["--help", "-h"].includes(word) && argv[index + 1] === "all");

const endings = new WeakMap<Command, string>();

/** Sets what follows all else in the help of a command. */
function endHelp(command: Command, ending: string): void {
  if (!endings.has(command)) command.addHelpText("after", () => endings.get(command) ?? "");
  endings.set(command, ending);
}

/** Leaves flags that are rarely needed out of the help of each command, and adds what its exit codes mean. */
export function shortenHelp({ commands }: Command, argv: readonly string[], within = ""): void {
  for (const command of commands) {
    const name = `${within}${command.name()}`;
    const { flags, example } = COMMON[name] ?? {};
    const common = flags === undefined || wantsAll(argv) ? undefined : flags;
    const isHidden = (option: Option): boolean => common !== undefined && !common.includes(nameOf(option));
    const hidden = command.options.filter((option) => !option.hidden && isHidden(option));
    const lines = [
      ...(example === undefined ? [] : [`Example: ${example}`]),
      ...(WITH_VERDICT.includes(name) ? [EXIT_CODES] : []),
      ...(hidden.length === 0 ? [] : [`assay ${name} --help all lists ${hidden.length} more flags.`]),
    ];
    command.configureHelp({
      ...command.configureHelp(),
      ...(common === undefined ? usualOptions : shortOptions(common)),
    });
    endHelp(command, lines.map((line) => `\n${line}`).join(""));
    shortenHelp(command, argv, `${name} `);
  }
}

const usual = new Help();

const usualOptions: HelpConfiguration = {
  visibleOptions: (command) => usual.visibleOptions(command),
  groupItems: (all, visible, groupOf) => usual.groupItems(all, visible, groupOf),
  optionDescription: (option) => usual.optionDescription(option),
};

/** The common flags in their order, without headings, and the one that asks for help. */
const shortOptions = (common: readonly string[]): HelpConfiguration => ({
  visibleOptions: (command) => {
    const visible = usual.visibleOptions(command);
    return [...common, "help"].flatMap((name) => visible.filter((option) => nameOf(option) === name));
  },
  groupItems: (_, visible, groupOf) =>
    usual.groupItems(visible, visible, (item) => (item instanceof Option ? "Options:" : groupOf(item))),
  optionDescription: (option) => brief(usual.optionDescription(option)),
});

const nameOf = ({ long }: Option): string => (long ?? "").slice(2);

/** What a flag is for, without its forms and cases; a short default stays. */
function brief(description: string): string {
  const known = /\(default: [^();]{1,40}\)$/.exec(description)?.[0];
  return [description.replace(/(?:;| \(|: ).*$/s, ""), known].filter((part) => part !== undefined).join(" ");
}
