/** The vitest adapter: one test per clause, each awaiting the engine's verdict. Settings come from `ASSAY_*`. */

import { afterAll, describe, type TestContext, test } from "vitest";
import { checkStatus } from "../formats/verdicts.ts";
import { printable } from "../lib/printable.mjs";
import { plainLine } from "../lib/text.ts";
import { reasonOf } from "../settings/usage-error.ts";
import type { Selection } from "./engine/clause-selection.ts";
import { startRun } from "./engine/conformance-run.ts";
import { settingsFrom } from "./engine/conformance-settings.ts";
import { fileSink } from "./engine/run-files.ts";

/** Told to vitest instead of a number of milliseconds: the engine bounds every wait itself. */
const NO_TIMEOUT = 0;

const folder = process.env["ASSAY_OUT"];
const stop = new AbortController();
let unwritten: unknown;
const failed = (error: unknown): void => {
  unwritten ??= error;
  stop.abort();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
const settings = settingsFrom(process.env);
const run = await startRun(settings, {
  ...(folder && { sink: fileSink(folder, failed) }),
  stop: stop.signal,
});

describe("conformance", () => {
  for (const selection of run.selections) {
    const { id, text } = selection.clause;
    test(`${id}  ${text}`, { timeout: NO_TIMEOUT }, (context) => settle(selection, context));
  }
});

afterAll(async () => {
  const { staleBaseline } = await run.finished;
  if (unwritten !== undefined) throw new ClauseError(`cannot write the results to ${folder}: ${reasonOf(unwritten)}`);
  if (staleBaseline.length > 0) throw new ClauseError(`the baseline is out of date: ${staleBaseline.join("; ")}`);
}, NO_TIMEOUT);

async function settle({ clause: { id, level }, selected }: Selection, { annotate, skip }: TestContext): Promise<void> {
  const { verdict, reason, blockedBy } = await run.verdictOf(id);
  // vitest's own process is gone after a signal, and this one at its next message to it: open tasks are cancelled before.
  if (stop.signal.aborted) await run.finished;
  const status = checkStatus(level, verdict, selected, settings.failOn);
  const shown = printable(plainLine(reason));
  if (status === "error") {
    const saidBy = (await failingCause(blockedBy)) ?? sameSentence(id, shown);
    if (saidBy !== undefined) skip(`${verdict}: see ${saidBy}`);
  }
  if (status === "failure" || status === "error") throw new ClauseError(`${id}  ${verdict}  ${shown}`);
  if (status === "skip") skip(`${verdict}: ${shown}`);
  await annotate(`${verdict}: ${shown}`, "verdict");
}

/** The clause under which another one is blocked, where its own test fails: one cause fails once, as in the command. */
async function failingCause(id: string | undefined): Promise<string | undefined> {
  const cause = run.selections.find(({ clause }) => clause.id === id);
  if (cause === undefined) return undefined;
  const { verdict } = await run.verdictOf(cause.clause.id);
  const status = checkStatus(cause.clause.level, verdict, cause.selected, settings.failOn);
  return status === "failure" || status === "error" ? cause.clause.id : undefined;
}

const said = new Map<string, string>();

/** The clause that said the same of other exchanges before; undefined for the first one. */
function sameSentence(id: string, sentence: string): string | undefined {
  const words = sentence.replace(/ \(exchanges? [^)]*\)/g, "");
  const first = said.get(words);
  if (first === undefined) said.set(words, id);
  return first;
}

/** A clause or a baseline with a problem; its message says everything, so it has no stack. */
class ClauseError extends Error {
  override readonly name = "Clause";
  override readonly stack = "";
}
