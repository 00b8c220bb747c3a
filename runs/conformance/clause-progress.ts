/** What the user sees while clauses are checked: how many are, and those that somebody should read about. */

import pc from "picocolors";
import { colouredProgress, type Progress, rewrites } from "../../cli/console.mjs";
import type { Selection } from "../../conformance/engine/clause-selection.ts";
import { checkStatus, type Level, type Verdict } from "../../formats/verdicts.ts";
import { plainLine } from "../../lib/text.ts";
import { areaFrame } from "../../reports/conformance/area-frame.ts";
import { plural } from "../../reports/numbers.ts";

const TICK_MS = 200;
/** In a log, which gets no line of a run that is over before; just over the ten seconds between two lines of a log. */
const LOG_TICK_MS = 10_100;

/** `waiting for 3 videos, next poll in 4 s`; empty when nothing is waited for. */
export function waitingWords(tasks: number, untilPollMs: number): string {
  if (tasks === 0) return "";
  const next = untilPollMs < 1_000 ? "" : `, next poll in ${Math.ceil(untilPollMs / 1_000)} s`;
  return `waiting for ${plural(tasks, "video")}${next}`;
}

interface Named {
  readonly id: string;
  readonly level: Level;
}
interface Checked {
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Follows a run on the terminal, where the count moves, or in a log, which gets few plain lines. */
export function clauseProgress(progress: Progress, selections: readonly Selection[]) {
  const terminal = rewrites();
  const { red, yellow } = pc.createColors(colouredProgress());
  const planned = selections.flatMap(({ clause: { id, area }, selected }) => (selected ? [{ id, area }] : []));
  const started = performance.now();
  const counts = { blocked: 0, notRun: 0 };
  /** Verdicts of the clauses that are known to some degree, and ids of those that were printed. */
  const known = new Map<string, Verdict>();
  const printed = new Set<string>();
  const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  let videos = { tasks: 0, nextPollMs: 0 };
  const show = (): void => {
    const waits = waitingWords(videos.tasks, videos.nextPollMs - performance.now());
    const summary = [`${known.size} of ${planned.length} clauses checked, ${seconds()}`, waits];
    progress.show(summary.filter(Boolean).join("; "), (size) => {
      const clauses = planned.map(({ id, area }) => ({ area, verdict: known.get(id) }));
      return areaFrame(clauses, summary, { ...size, colour: colouredProgress() });
    });
  };
  const ticker = setInterval(show, terminal ? TICK_MS : LOG_TICK_MS).unref();
  const print = (id: string, colour: (text: string) => string, { verdict, reason }: Checked): void => {
    if (printed.has(id)) return;
    printed.add(id);
    progress.say(colour(plainLine(`${id}  ${verdict}  ${reason}`)));
  };
  return {
    /** A clause is known to some degree; that it is violated stays so, and is said at once. */
    provisional: ({ id, level }: Named, checked: Checked): void => {
      known.set(id, checked.verdict);
      if (checkStatus(level, checked.verdict) === "failure") print(id, red, checked);
      else if (checked.verdict === "WARN") print(id, yellow, checked);
    },
    /** Video tasks wait for their next poll. */
    waiting: (tasks: number, nextPollMs: number): void => {
      videos = { tasks, nextPollMs };
    },
    /** A clause has its verdict. */
    checked: ({ id, level }: Named, checked: Checked): void => {
      const { verdict } = checked;
      known.set(id, verdict);
      const status = checkStatus(level, verdict);
      if (verdict === "BLOCKED") counts.blocked += 1;
      else if (verdict === "NOT-RUN") counts.notRun += 1;
      else if (status === "failure" || status === "error") print(id, red, checked);
      else if (verdict === "WARN") print(id, yellow, checked);
    },
    done: (staleBaseline: readonly string[]): void => {
      clearInterval(ticker);
      progress.end();
      if (counts.blocked > 0)
        progress.say(yellow(`${plural(counts.blocked, "clause")} could not be checked because of those above`));
      if (counts.notRun > 0) progress.say(yellow(`${plural(counts.notRun, "clause")} not run`));
      if (staleBaseline.length > 0) progress.say(red(`The baseline is out of date: ${staleBaseline.join("; ")}`));
      if (!terminal) progress.say(`${known.size} clauses, ${seconds()}`);
    },
  };
}
