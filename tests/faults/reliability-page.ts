/** `docs/reliability.md`: the fault matrix as a page, of the data that the tests compare with what they find. */

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
  return `${INTRODUCTION}\n\n${kinds.join("\n\n")}\n`;
}

const cells = Object.entries(MATRIX).flatMap(([, row]) => Object.values<Outcome | string>(row));
const tested = cells.filter((cell) => typeof cell !== "string").length;

const INTRODUCTION = `# Reliability

What each command does under each fault: ${Object.keys(FAULTS).length} faults, ${Object.keys(Object.values(MATRIX)[0] ?? {}).length} commands, ${tested} cells that have a test, ${cells.length - tested} that do not apply,
with the reason. \`npm run faults\` makes every fault and compares what it finds with this page; \`npm test\` does so for ${SHARE.length} of
them. This page is generated from the expectations of those tests.

In every cell, every process that was started has ended. No paid task is lost: the column _video tasks_ says whether all were
_cancelled_; or _named_, that is printed with their ids and the command that cancels them, \`assay clean-up DIR\`; or _in the journal_
\`tasks.jsonl\`, which that command reads, because the process that could have printed them was killed. The test then runs the
command, and requires that no task is open. All cancels of a run together take 10 s at most. A submission that a SIGKILL cuts off has
no response, so that its task has no known id: it is named by its \`x-request-id\`.

_What can be read_ is \`report\`: complete reports; \`records\`: what was recorded until then: \`assay report DIR\` makes
reports; or nothing, where nothing was sent. An exit code of _signal_ is that of the shell: the process was killed. Where an
objective was met, the exit code is 2 instead of 0, and CLIENT-LIMITED is said, if the machine was too busy to measure; so it is for
a calibration, which then says that the machine cannot be trusted.`;

function tablesOf(kind: string): string {
  return faultsOf(kind)
    .map(([name, { about }]) => `### ${capital(name)}\n\n${capital(about)}.\n\n${table(name)}`)
    .join("\n\n");
}

const faultsOf = (kind: string) =>
  Object.entries<Fault>(FAULTS).filter((entry): entry is [FaultName, Fault] => entry[1].kind === kind);

const HEADER = `| command | exit code | says | can be read | video tasks |\n| --- | --- | --- | --- | --- |`;

function table(fault: FaultName): string {
  const rows = Object.entries<Outcome | string>(MATRIX[fault]).map(([command, cell]) => row(command, cell));
  return [HEADER, ...rows].join("\n");
}

function row(command: string, cell: Outcome | string): string {
  if (typeof cell === "string") return `| \`${command}\` | - | does not apply: ${cell} | - | - |`;
  const { exit, says, result, tasks } = cell;
  const told = says === "" ? "nobody can read it" : `\`${says.replaceAll("|", "\\|")}\``;
  return `| \`${command}\` | ${exit ?? "signal"} | ${told} | ${result} | ${tasks} |`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
