/** A run: judges the selected clauses against a target, within its limits of time, money and concurrency. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import type { Clause, Context } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { applyBaseline, readBaseline, staleEntries } from "./baseline.ts";
import { type Selection, select } from "./clause-selection.ts";
import type { RunSettings } from "./conformance-settings.ts";
import { httpClient } from "./http-client.ts";
import { blockedBy, harnessError, inapplicable, judgeClause } from "./judge-clause.ts";
import { loadClauses } from "./load-clauses.ts";
import { isNotRun, ProbeRunner } from "./probe-runner.ts";
import { sender } from "./request-sender.ts";
import { type Sink, silentSink } from "./run-files.ts";
import { TaskRunner } from "./task-runner.ts";
import { limiter } from "./waiting.ts";

export interface Run {
  readonly selections: readonly Selection[];
  /** The ruling of a clause, once it is there; NOT-RUN at once for one that is not selected. */
  readonly ruling: (id: string) => Promise<ClauseVerdict>;
  /** All rulings by id, after open tasks were cancelled and the files were closed. */
  readonly finished: Promise<ReadonlyMap<string, ClauseVerdict>>;
  /** What is out of date about the baseline, a sentence an entry; known once the run has finished. */
  readonly staleBaseline: Promise<readonly string[]>;
  /** Cancels open tasks, then ends the run early: what is not judged yet is NOT-RUN or INCONCLUSIVE. */
  readonly stop: () => Promise<void>;
}

const CLEAN_UP_MS = 15_000;

/**
 * Starts judging a target.
 * @throws UsageError when the selection matches nothing or the baseline cannot be used.
 */
export async function startRun(settings: RunSettings, sink: Sink = silentSink): Promise<Run> {
  const clauses = await loadClauses();
  const selections = select(clauses, settings);
  const baseline = readBaseline(settings.baseline, clauses);
  const startedAt = new Date().toISOString();
  const end = new AbortController();
  const client = httpClient(settings);
  let answered = false;
  const record = (exchange: Exchange): void => {
    answered ||= exchange.answer !== undefined;
    sink.exchange(exchange);
  };
  const send = sender({ client, record, waitCapMs: settings.waitCapMs, rate: settings.maxRate });
  const limit = limiter(settings.concurrency);
  const tasks = new TaskRunner({
    // A cancel that waits behind other requests comes too late for a task that is soon done.
    send: (sending) => limit(() => send(sending), "urgent"),
    sendAtOnce: send,
    journal: sink.task,
    fillings: settings,
    pollIntervalMs: settings.pollInterval,
    taskTimeoutMs: settings.deadline / 2,
    signal: end.signal,
  });
  const probing = new ProbeRunner({ ...settings, send, limit, tasks, fillings: settings, signal: end.signal });
  const context = { keyGiven: settings.apiKey !== undefined, failingPrompt: settings.failingPrompt !== undefined };
  const judging = new Judging(clauses, probing, context);
  const ruling = async (id: string): Promise<ClauseVerdict> => {
    const left = selections.find(({ clause, selected }) => clause.id === id && !selected);
    if (left !== undefined) return notRun(left.reason ?? "not selected");
    return applyBaseline(baseline, startedAt, id, await judging.verdictOf(id));
  };

  const timer = setTimeout(() => end.abort(new Error("the deadline had passed")), settings.deadline);
  const silence = setTimeout(() => {
    if (!answered) end.abort(new Error(`the target had answered nothing within ${settings.silenceMs / 1_000} s`));
  }, settings.silenceMs);
  sink.begin(settings, { startedAt, selections, baseline });
  const judgeSelected = async (): Promise<ReadonlyMap<string, ClauseVerdict>> => {
    const selected = selections.filter((selection) => selection.selected);
    await Promise.all(selected.map(async ({ clause }) => sink.verdict(clause, await ruling(clause.id))));
    await tasks.cancelOpen(AbortSignal.timeout(CLEAN_UP_MS));
    const rulings = new Map(
      await Promise.all(selections.map(async ({ clause: { id } }) => [id, await ruling(id)] as const)),
    );
    sink.end(staleEntries(baseline, startedAt, rulings));
    return rulings;
  };
  const finished = judgeSelected().finally(async () => {
    clearTimeout(timer);
    clearTimeout(silence);
    await client.close();
  });
  // Whoever awaits `finished` hears of a failure; until then it is no unhandled one.
  finished.catch(() => undefined);
  const staleBaseline = finished.then((rulings) => staleEntries(baseline, startedAt, rulings));
  staleBaseline.catch(() => undefined);
  const stop = async (): Promise<void> => {
    await tasks.cancelOpen(AbortSignal.timeout(CLEAN_UP_MS));
    end.abort(new Error("the run was stopped"));
  };
  return { selections, ruling, finished, staleBaseline, stop };
}

/** Judges each clause once, its needs before it. */
class Judging {
  readonly #clauses: ReadonlyMap<string, Clause>;
  readonly #probing: ProbeRunner;
  readonly #context: Context;
  readonly #rulings = new Map<string, Promise<ClauseVerdict>>();

  constructor(clauses: readonly Clause[], probing: ProbeRunner, context: Context) {
    this.#clauses = new Map(clauses.map((clause) => [clause.id, clause]));
    this.#probing = probing;
    this.#context = context;
  }

  verdictOf(id: string): Promise<ClauseVerdict> {
    const before = this.#rulings.get(id);
    if (before !== undefined) return before;
    const clause = this.#clauses.get(id);
    if (clause === undefined) throw new Error(`Cannot judge clause "${id}": there is none of that id.`);
    const ruling = this.#judge(clause).catch((error: unknown) => harnessError(`judging ${id} failed`, error));
    this.#rulings.set(id, ruling);
    return ruling;
  }

  async #judge(clause: Clause): Promise<ClauseVerdict> {
    const beside = inapplicable(clause, this.#context);
    if (beside !== undefined) return beside;
    const needs = await Promise.all(clause.needs.map(async (id) => ({ id, ruling: await this.verdictOf(id) })));
    const blocked = blockedBy(needs);
    if (blocked !== undefined) return blocked;
    const seen = await Promise.all(clause.probes.map((probe) => this.#probing.exchangesOf(probe)));
    const missing = seen.find(isNotRun);
    if (missing !== undefined) return notRun(missing.notRun);
    const exchanges = seen.filter((one): one is Exchanges => !isNotRun(one));
    return judgeClause(clause, exchanges, this.#context);
  }
}

const notRun = (reason: string): ClauseVerdict => ({ verdict: "NOT-RUN", reason, evidence: [] });
