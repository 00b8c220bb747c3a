/** The suite as vitest sees it: one test a clause, each awaiting the engine's ruling. Settings come from `ASSAY_*`. */

import { afterAll, describe, type TestContext, test } from "vitest";
import { checkStatus } from "../formats/verdicts.ts";
import type { Selection } from "./engine/clause-selection.ts";
import { startRun } from "./engine/conformance-run.ts";
import { runSettings } from "./engine/conformance-settings.ts";
import { fileSink, silentSink } from "./engine/run-files.ts";
import { headline } from "./wording.ts";

/** Told to vitest instead of a number of milliseconds: the engine bounds every wait itself. */
const NO_TIMEOUT = 0;

const folder = process.env["ASSAY_OUT"];
const run = await startRun(runSettings(process.env), folder ? fileSink(folder) : silentSink);
// vitest's own process is gone at once then, and this one at its next message to it: first of all, tasks are cancelled.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, run.stop);

describe("conformance", () => {
  for (const selection of run.selections) {
    const { id, text } = selection.clause;
    test(`${id}  ${text}`, { timeout: NO_TIMEOUT }, (context) => settle(selection, context));
  }
});

afterAll(async () => {
  await run.finished;
  const stale = await run.staleBaseline;
  if (stale.length > 0) throw new ClauseError(`the baseline is out of date: ${stale.join("; ")}`);
}, NO_TIMEOUT);

async function settle(
  { clause: { id, level }, selected }: Selection,
  { task, annotate, skip }: TestContext,
): Promise<void> {
  const ruling = await run.ruling(id);
  const { verdict, reason } = ruling;
  const status = checkStatus(level, verdict, selected);
  task.meta.assay = { id, status, verdict, reason };
  if (status === "failure" || status === "error") throw new ClauseError(headline(id, ruling));
  if (status === "skip") skip(`${verdict}: ${reason}`);
  await annotate(`${verdict}: ${reason}`, "verdict");
}

/** A clause or a baseline that did not come to a good end; its message is all that there is to say, so it has no stack. */
class ClauseError extends Error {
  override readonly name = "Clause";
  override readonly stack = "";
}
