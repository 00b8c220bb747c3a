/** A run: checks the selected clauses against a target, within its limits of time, money and concurrency. */

import type { Exchange } from "../../formats/exchanges.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import type { Clause } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { applyBaseline, readBaseline, staleEntries } from "./baseline.ts";
import { type Selection, select } from "./clause-selection.ts";
import { publicSettings, type RunSettings } from "./conformance-settings.ts";
import { evaluator, notRun } from "./evaluator.ts";
import { withEveryExchange } from "./every-exchange.ts";
import { httpClient } from "./http-client.ts";
import { InvariantChecker, isInvariant } from "./invariants.ts";
import { loadClauses } from "./load-clauses.ts";
import { ProbeRunner } from "./probe-runner.ts";
import { defaultModelsOf } from "./recorded-run.ts";
import { sender } from "./request-sender.ts";
import { type Sink, silentSink } from "./run-files.ts";
import { TaskRunner } from "./task-runner.ts";
import { limiter } from "./waiting.ts";
import { writtenForm } from "./written-exchange.ts";

/** What a run has come to. */
export interface RunEnd {
  readonly verdicts: ReadonlyMap<string, ClauseVerdict>;
  /** What is out of date about the baseline, one sentence per entry. */
  readonly staleBaseline: readonly string[];
  /** Ids of the video tasks that could not be cancelled. */
  readonly openTasks: readonly string[];
}

export interface Run {
  readonly selections: readonly Selection[];
  /** The verdict of a clause, once it is there; NOT-RUN at once for one that is not selected. */
  readonly verdictOf: (id: string) => Promise<ClauseVerdict>;
  /** Resolves after open tasks were cancelled and the files were closed. */
  readonly finished: Promise<RunEnd>;
}

export interface RunOptions {
  readonly sink?: Sink;
  /**
   * Stops the run gently: nothing new is sent, a submission that is under way is waited for, open tasks are cancelled.
   * Clauses that were not checked by then get no verdict in the files.
   */
  readonly stop?: AbortSignal;
  /** Ends it at once: also what a gentle stop waits for. */
  readonly kill?: AbortSignal;
}

/** How long clauses are still checked once the run has ended; what is not checked by then is NOT-RUN. */
const JUDGE_MS = 500;
/** Least time for the cancels of open tasks, however long their submissions were waited for. */
const LEAST_CLEAN_UP_MS = 1_000;

/**
 * Starts a run.
 * @throws UsageError when the selection matches nothing or the baseline cannot be used.
 */
export async function startRun(
  settings: RunSettings,
  { sink = silentSink, stop, kill }: RunOptions = {},
): Promise<Run> {
  const clauses = await loadClauses();
  const selections = select(clauses, settings);
  const baseline = readBaseline(settings.baseline, clauses);
  const startedAt = new Date().toISOString();
  const end = new AbortController();
  const endWith = (reason: string) => (): void => end.abort(new Error(reason));
  const stopped = endWith("the run was stopped");
  const client = httpClient(settings);
  const written = writtenForm(settings);
  let responded = false;
  const context = {
    keyGiven: settings.apiKey !== undefined,
    failingPrompt: settings.failingPrompt !== undefined,
    defaultModels: defaultModelsOf(settings),
  };
  const checker = new InvariantChecker(
    selections.filter(({ selected }) => selected).map(({ clause }) => clause),
    context,
  );
  const record = (exchange: Exchange): void => {
    responded ||= exchange.answer !== undefined;
    sink.exchange(written.exchange(exchange));
    if (tooLate() !== undefined) return;
    for (const { clause } of checker.add(exchange)) tell(clause);
  };
  /** What clauses came to on their own probes. */
  const onProbes = new Map<string, ClauseVerdict>();
  const finalForm = (id: string, own: ClauseVerdict): ClauseVerdict =>
    written.verdict(applyBaseline(baseline, startedAt, id, withEveryExchange(own, id, checker)));
  const tell = (clause: Clause): void => {
    const own = onProbes.get(clause.id);
    if (own !== undefined) sink.provisional?.(clause, finalForm(clause.id, own));
  };
  const deadlineAt = performance.now() + settings.deadline;
  const send = sender({ ...settings, client, record, rate: settings.maxRate, kill, deadlineAt });
  const limit = limiter(settings.concurrency);
  const tasks = new TaskRunner({
    // A cancel that waits behind other requests comes too late for a task that is soon done.
    send: (request) => limit(() => send(request), "urgent"),
    sendAtOnce: send,
    journal: (event) => sink.task(written.task(event)),
    fillings: settings,
    pollIntervalMs: settings.pollInterval,
    taskTimeoutMs: settings.deadline / 2,
    signal: end.signal,
    waiting: (tasks, nextPollMs) => sink.waiting?.(tasks, nextPollMs),
  });
  const probes = new ProbeRunner({ ...settings, send, limit, tasks, fillings: settings, signal: end.signal });
  let endedAt = Number.POSITIVE_INFINITY;
  end.signal.addEventListener("abort", () => {
    endedAt = performance.now();
  });
  const tooLate = (): string | undefined =>
    performance.now() > endedAt + JUDGE_MS ? reasonOf(end.signal.reason) : undefined;
  const evaluate = evaluator(clauses, (probe) => probes.exchangesOf(probe), context, tooLate);
  const onProbe = async ({ clause, selected, reason }: Selection): Promise<ClauseVerdict> => {
    if (!selected) return notRun(reason ?? "not selected");
    const own = await evaluate(clause.id);
    if (!onProbes.has(clause.id)) {
      onProbes.set(clause.id, own);
      tell(clause);
    }
    return own;
  };

  const timer = setTimeout(endWith("the deadline had passed"), settings.deadline);
  const silence = setTimeout(() => {
    if (!responded) endWith(`the target had returned nothing within ${settings.silenceMs / 1_000} s`)();
  }, settings.silenceMs);
  for (const signal of [stop, kill]) {
    if (signal?.aborted) stopped();
    else signal?.addEventListener("abort", stopped, { once: true });
  }
  const run = written.settings({ target: settings.target, settings: publicSettings(settings) });
  sink.begin({ run, startedAt, selections, baseline });

  const isStopped = (): boolean => stop?.aborted === true || kill?.aborted === true;
  /** Ids of the clauses whose probes were judged before the run was stopped. */
  const judged = new Set<string>();
  const probed = Promise.all(
    selections.map(async (selection) => {
      await onProbe(selection);
      if (selection.selected && !isStopped()) judged.add(selection.clause.id);
    }),
  );
  const cleanUp = async (): Promise<readonly string[]> => {
    await probed;
    // What was waited for since the end of the run, such as the response to a submission, counts as clean-up.
    const since = Math.max(0, performance.now() - endedAt);
    const withinMs = Math.max(LEAST_CLEAN_UP_MS, Math.ceil(OWN_CLEAN_UP_MS - since));
    const limit = timeLimit(withinMs, ...(kill === undefined ? [] : [kill]));
    return await tasks.cancelOpen(limit.signal).finally(limit.clear);
  };
  const cleanedUp = cleanUp();
  /** The verdict of a clause about every exchange of a kind is known when there are no more. */
  const finalVerdict = async (selection: Selection): Promise<ClauseVerdict> => {
    const { clause, selected } = selection;
    const own = await onProbe(selection);
    if (!selected) return own;
    if (isInvariant(clause)) await cleanedUp;
    return finalForm(clause.id, own);
  };
  const finals = new Map(selections.map((selection) => [selection.clause.id, finalVerdict(selection)]));
  const verdictOf = (id: string): Promise<ClauseVerdict> =>
    finals.get(id) ?? Promise.reject(new Error(`Cannot check clause "${id}": there is no clause of that id.`));
  const check = async (): Promise<RunEnd> => {
    const verdicts = await Promise.all(
      selections.map(async ({ clause }) => {
        const verdict = await verdictOf(clause.id);
        if (judged.has(clause.id)) sink.verdict(clause, verdict);
        return [clause.id, verdict] as const;
      }),
    );
    const openTasks = await cleanedUp;
    const ended = new Map(verdicts);
    const staleBaseline = staleEntries(baseline, startedAt, ended);
    sink.end(isStopped() ? undefined : { staleBaseline, basis: checker.basis() });
    return { verdicts: ended, staleBaseline, openTasks };
  };
  const finished = check().finally(async () => {
    clearTimeout(timer);
    clearTimeout(silence);
    await client.close();
  });
  // Whoever awaits `finished` gets its error; until then it is not an unhandled one.
  finished.catch(() => undefined);
  return { selections, verdictOf, finished };
}
