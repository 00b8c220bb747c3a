/** A run: checks the selected clauses against a target, within its limits of time, money and concurrency. */

import type { Exchange } from "../../formats/exchanges.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import type { Clause } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { Alone } from "./alone.ts";
import { applyBaseline, type Baseline, readBaseline, staleEntries } from "./baseline.ts";
import { CarefulLane } from "./careful-lane.ts";
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
import { RunEnding, type RunSignals } from "./run-ending.ts";
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

export interface RunOptions extends RunSignals {
  readonly sink?: Sink;
}

/** Least time for the cancels of open tasks, however long their submissions were waited for. */
const LEAST_CLEAN_UP_MS = 1_000;

/**
 * Starts a run.
 * @throws UsageError when the selection matches nothing or the baseline cannot be used.
 */
export async function startRun(settings: RunSettings, options: RunOptions = {}): Promise<Run> {
  const clauses = await loadClauses();
  const plan = {
    clauses,
    selections: select(clauses, settings),
    baseline: readBaseline(settings.baseline, clauses),
    startedAt: new Date().toISOString(),
  };
  return new ConformanceRun(settings, plan, options).start();
}

interface RunPlan {
  /** Linked clauses, as `loadClauses` gives them. */
  readonly clauses: readonly Clause[];
  readonly selections: readonly Selection[];
  readonly baseline: Baseline;
  readonly startedAt: string;
}

/** Its phases: the probes and what clauses come to on them, the clean-up, the final verdicts. */
class ConformanceRun {
  readonly #settings: RunSettings;
  readonly #plan: RunPlan;
  readonly #sink: Sink;
  readonly #ending: RunEnding;
  readonly #kill: AbortSignal | undefined;
  readonly #client: ReturnType<typeof httpClient>;
  readonly #written: ReturnType<typeof writtenForm>;
  readonly #checker: InvariantChecker;
  readonly #tasks: TaskRunner;
  readonly #lane: CarefulLane;
  readonly #alone = new Alone();
  readonly #evaluate: ReturnType<typeof evaluator>;
  /** What clauses came to on their own probes. */
  readonly #onProbes = new Map<string, ClauseVerdict>();

  constructor(settings: RunSettings, plan: RunPlan, { sink = silentSink, stop, kill }: RunOptions) {
    this.#settings = settings;
    this.#plan = plan;
    this.#sink = sink;
    this.#kill = kill;
    this.#ending = new RunEnding({ stop, kill });
    this.#client = httpClient(settings);
    this.#written = writtenForm(settings);
    const context = {
      keyGiven: settings.apiKey !== undefined,
      failingPrompt: settings.failingPrompt !== undefined,
      defaultModels: defaultModelsOf(settings),
    };
    const chosen = plan.selections.filter(({ selected }) => selected).map(({ clause }) => clause);
    this.#checker = new InvariantChecker(chosen, context);
    const { tasks, probes, lane } = this.#runners();
    this.#tasks = tasks;
    this.#lane = lane;
    this.#evaluate = evaluator(plan.clauses, (probe) => probes.exchangesOf(probe), context, this.#ending);
  }

  /** What sends the requests of probes and of video tasks. */
  #runners(): { readonly tasks: TaskRunner; readonly probes: ProbeRunner; readonly lane: CarefulLane } {
    const settings = this.#settings;
    const { signal } = this.#ending;
    const lane: CarefulLane = new CarefulLane({
      record: (exchange) => this.#record(exchange),
      check: (kind) => probes.check(kind),
      patienceMs: Math.min(settings.waitCapMs, settings.deadline / 2),
      signal,
    });
    const send = sender({
      ...settings,
      client: this.#client,
      record: (exchange) => lane.record(exchange),
      rate: settings.maxRate,
      kill: this.#kill,
      alone: this.#alone,
      deadlineAt: performance.now() + settings.deadline,
    });
    const limit = limiter(settings.concurrency);
    const tasks = new TaskRunner({
      // A cancel that waits behind other requests comes too late for a task that is soon done.
      send: (request) => limit(() => send(request), "urgent"),
      sendAtOnce: send,
      journal: (event) => this.#sink.task(this.#written.task(event)),
      fillings: settings,
      pollIntervalMs: settings.pollInterval,
      taskTimeoutMs: settings.deadline / 2,
      signal,
      waiting: (open, nextPollMs) => this.#sink.waiting?.(open, nextPollMs),
    });
    const probes = new ProbeRunner({ ...settings, send, limit, lane, tasks, fillings: settings, signal });
    return { tasks, probes, lane };
  }

  start(): Run {
    const { selections, startedAt, baseline } = this.#plan;
    const settings = this.#settings;
    this.#ending.start(settings);
    const run = this.#written.settings({ target: settings.target, settings: publicSettings(settings) });
    this.#sink.begin({ run, startedAt, selections, baseline });

    const cleanedUp = this.#probe().then(() => this.#cleanUp());
    const finals = new Map(
      selections.map((selection) => [selection.clause.id, this.#finalVerdict(selection, cleanedUp)]),
    );
    const verdictOf = (id: string): Promise<ClauseVerdict> =>
      finals.get(id) ?? Promise.reject(new Error(`Cannot check clause "${id}": there is no clause of that id.`));
    const finished = this.#finish(verdictOf, cleanedUp).finally(async () => {
      this.#ending.clear();
      await this.#client.close();
    });
    // Whoever awaits `finished` gets its error; until then it is not an unhandled one.
    finished.catch(() => undefined);
    return { selections, verdictOf, finished };
  }

  #record(exchange: Exchange): void {
    if (exchange.answer !== undefined) this.#ending.sawResponse();
    this.#sink.exchange(this.#written.exchange(exchange));
    if (this.#ending.tooLate() !== undefined) return;
    for (const { clause } of this.#checker.add(exchange)) this.#tell(clause);
  }

  #tell(clause: Clause): void {
    const own = this.#onProbes.get(clause.id);
    if (own !== undefined) this.#sink.provisional?.(clause, this.#finalForm(clause.id, own));
  }

  #finalForm(id: string, own: ClauseVerdict): ClauseVerdict {
    const { baseline, startedAt } = this.#plan;
    return this.#written.verdict(applyBaseline(baseline, startedAt, id, withEveryExchange(own, id, this.#checker)));
  }

  /** First phase: every clause is checked on its own probes. */
  async #probe(): Promise<void> {
    await Promise.all(this.#plan.selections.map((selection) => this.#onProbe(selection)));
  }

  async #onProbe({ clause, selected, reason }: Selection): Promise<ClauseVerdict> {
    if (!selected) return notRun(reason ?? "not selected");
    const own = await this.#evaluate(clause.id);
    if (!this.#onProbes.has(clause.id)) {
      this.#onProbes.set(clause.id, own);
      this.#tell(clause);
    }
    return own;
  }

  /** Second phase: cancels the tasks that are open. Gives the ids of those that could not be cancelled. */
  async #cleanUp(): Promise<readonly string[]> {
    // What was waited for since the end of the run, such as the response to a submission, counts as clean-up.
    const withinMs = Math.max(LEAST_CLEAN_UP_MS, Math.ceil(OWN_CLEAN_UP_MS - this.#ending.sinceMs));
    const limit = timeLimit(withinMs, ...(this.#kill === undefined ? [] : [this.#kill]));
    return await this.#tasks.cancelOpen(limit.signal).finally(limit.clear);
  }

  /** Third phase: the verdict of a clause about every exchange of a kind is known when there are no more. */
  async #finalVerdict(selection: Selection, cleanedUp: Promise<unknown>): Promise<ClauseVerdict> {
    const { clause, selected } = selection;
    const own = await this.#onProbe(selection);
    if (!selected) return own;
    if (isInvariant(clause)) await cleanedUp;
    return this.#finalForm(clause.id, own);
  }

  async #finish(verdictOf: Run["verdictOf"], cleanedUp: Promise<readonly string[]>): Promise<RunEnd> {
    const { selections, baseline, startedAt } = this.#plan;
    const verdicts = new Map(
      await Promise.all(
        selections.map(async ({ clause, selected }) => {
          const verdict = await verdictOf(clause.id);
          const isLeft = verdict.verdict === "NOT-RUN" && this.#ending.isStopped;
          if (selected && !isLeft) this.#sink.verdict(clause, verdict);
          return [clause.id, verdict] as const;
        }),
      ),
    );
    const openTasks = await cleanedUp;
    const staleBaseline = staleEntries(baseline, startedAt, verdicts);
    const { outages } = this.#lane;
    const ended = this.#ending.reason();
    const interference = this.#alone.found;
    this.#sink.end(
      this.#ending.isStopped
        ? undefined
        : {
            staleBaseline,
            basis: this.#checker.basis(),
            ...(ended !== undefined && { ended }),
            ...(outages.length > 0 && { outages }),
            ...(interference && { interference }),
          },
    );
    return { verdicts, staleBaseline, openTasks };
  }
}
