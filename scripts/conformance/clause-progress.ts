/** What the user sees while clauses are checked: how many are, and those that somebody should read about. */

import pc from "picocolors";
import type { Selection } from "../../conformance/engine/clause-selection.ts";
import { checkStatus, type Level, type Verdict } from "../../formats/verdicts.ts";
import { plainLine } from "../../lib/text.ts";
import { plural } from "../../reports/numbers.ts";
import type { Progress } from "../cli/console.mjs";

const TICK_MS = 200;

interface Checked {
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Follows a run on the terminal, where the count moves, or in a log, which gets few plain lines. */
export function clauseProgress(progress: Progress, selections: readonly Selection[]) {
  const terminal = process.stderr.isTTY === true && !process.env["CI"];
  const { red, yellow } = pc.createColors(pc.isColorSupported && terminal);
  const total = selections.filter(({ selected }) => selected).length;
  const started = performance.now();
  const counts = { all: 0, blocked: 0, notRun: 0 };
  const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const show = (): void => progress.show(`${counts.all} of ${total} clauses checked, ${seconds()}`);
  const ticker = terminal ? setInterval(show, TICK_MS) : undefined;
  return {
    checked: ({ id, level }: { readonly id: string; readonly level: Level }, { verdict, reason }: Checked): void => {
      counts.all += 1;
      const status = checkStatus(level, verdict);
      const line = plainLine(`${id}  ${verdict}  ${reason}`);
      if (verdict === "BLOCKED") counts.blocked += 1;
      else if (verdict === "NOT-RUN") counts.notRun += 1;
      else if (status === "failure" || status === "error") progress.say(red(line));
      else if (verdict === "WARN") progress.say(yellow(line));
    },
    done: (staleBaseline: readonly string[]): void => {
      clearInterval(ticker);
      progress.end();
      if (counts.blocked > 0)
        progress.say(yellow(`${plural(counts.blocked, "clause")} could not be checked because of those above`));
      if (counts.notRun > 0) progress.say(yellow(`${plural(counts.notRun, "clause")} not run`));
      if (staleBaseline.length > 0) progress.say(red(`The baseline is out of date: ${staleBaseline.join("; ")}`));
      if (!terminal) progress.say(`${counts.all} clauses, ${seconds()}`);
    },
  };
}
