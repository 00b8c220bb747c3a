/** `docs/reliability.md`: the fault matrix as a page, of the data that the tests compare with what they find. */

import { table as markdownTable } from "../../reports/markdown-syntax.ts";
import type { Fault, FaultKind, Outcome } from "./cell.ts";
import { FAULTS, type FaultName } from "./fault-rows.ts";
import { MATRIX, SHARE } from "./matrix.ts";

const KINDS: Readonly<Record<FaultKind, string>> = {
  target: "Faults of the target and of the way to it",
  signal: "Signals",
  output: "Lost output",
  disk: "Faults of the disk and of folders",
  limit: "Limits of the machine",
};

/** The text of the page. */
export function reliabilityPage(): string {
  const kinds = Object.entries(KINDS).map(([kind, title]) => `## ${title}\n\n${tablesOf(kind)}`);
  return `${introduction()}\n\n${kinds.join("\n\n")}\n`;
}

const rowOf = (fault: FaultName): Readonly<Record<string, Outcome | string>> => MATRIX[fault];
const COMMANDS = [...new Set(Object.values(MATRIX).flatMap((row) => Object.keys(row)))];
/** The commands that most faults can meet. */
const OVERVIEW = ["load chat-stream", "load video", "search", "conformance --video", "proxy"] as const;

const cells = Object.entries(MATRIX).flatMap(([, row]) => Object.values<Outcome | string>(row));
const tested = cells.filter((cell) => typeof cell !== "string").length;

const introduction = (): string => `# Reliability

What a command does when something breaks: the target, the network, the disk, the machine, or a signal that ends it.

- **It ends**, with every process that it started, and says in a sentence what happened.
- **What was measured is kept**: reports, or the records from which \`assay report DIR\` makes them.
- **No paid task is lost**: video tasks are cancelled, or named with the command that cancels them, \`assay clean-up DIR\`.

## At a glance

Exit codes: 1 is a failure of the target, 2 is inconclusive, 3 is a usage error or one of the machine. Each fault is a link to its details.

${overview()}

## How to read the details

A row is a command under a fault, with what it says. There are ${Object.keys(FAULTS).length} faults and ${COMMANDS.length} commands: ${tested} combinations have a test, ${cells.length - tested} do not
apply, for the reason given below each table. This page is generated from the expectations of the tests. \`npm run faults\` makes every
fault; \`npm run test:all\` makes ${SHARE.length}.

- _Can be read_ is \`report\`: complete reports; \`records\`: what was recorded until then; or nothing, if nothing was sent.
- _Video tasks_ were _cancelled_, or _named_ (printed with their ids), or are _in the journal_ \`tasks.jsonl\`, which \`assay clean-up DIR\` reads.
  The test runs that command, and requires that no task is open. All cancels of a run together take at most 10 s. A submission that a
  SIGKILL cuts off has no known id: it is named by its \`x-request-id\`.
- An exit code of _signal_ means that the process was killed. If the machine was too busy to measure, the exit code is 2 instead of 0, with
  CLIENT-LIMITED or, for a calibration, a machine that cannot be trusted.`;

/** The exit code of the commands that most faults can meet, under each of them. */
function overview(): string {
  const rows = Object.keys(KINDS)
    .flatMap(faultsOf)
    .map(([name, { about }]) => [
      `[${capital(name)}](#${name.toLowerCase().replaceAll(" ", "-")}): ${about}`,
      ...OVERVIEW.map((command) => exitOf(rowOf(name)[command])),
    ]);
  return markdownTable(["fault", ...OVERVIEW.map((command) => `\`${command}\``)], rows);
}

const exitOf = (cell: Outcome | string | undefined): string =>
  typeof cell === "object" ? (cell.exit?.toString() ?? "signal") : "-";

function tablesOf(kind: string): string {
  return faultsOf(kind)
    .map(([name, { about }]) => `### ${capital(name)}\n\n${capital(about)}.\n\n${table(name)}`)
    .join("\n\n");
}

const faultsOf = (kind: string) =>
  Object.entries<Fault>(FAULTS).filter((entry): entry is [FaultName, Fault] => entry[1].kind === kind);

const HEADER = ["command", "exit code", "says", "can be read", "video tasks"];

/** What each command does, and under the table, by reason, those that the fault cannot meet. */
function table(fault: FaultName): string {
  const row = Object.entries(rowOf(fault));
  const outcomes = row.flatMap(([command, cell]) =>
    typeof cell === "object" ? [[`\`${command}\``, ...cellsOf(cell)]] : [],
  );
  const inapplicable = row.flatMap(([command, cell]) => (typeof cell === "string" ? [{ command, reason: cell }] : []));
  const reasons = [...new Set(inapplicable.map(({ reason }) => reason))].map((reason) => {
    const commands = inapplicable.filter((cell) => cell.reason === reason).map(({ command }) => `\`${command}\``);
    return `- ${commands.join(", ")}: ${reason}.`;
  });
  const rest = reasons.length === 0 ? "" : `\n\nDoes not apply to:\n\n${reasons.join("\n")}`;
  return `${markdownTable(HEADER, outcomes)}${rest}`;
}

const cellsOf = ({ exit, says, result, tasks }: Outcome): string[] => [
  exit?.toString() ?? "signal",
  says === "" ? "nobody can read it" : `\`${says.replaceAll("|", "\\|")}\``,
  result,
  tasks,
];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
