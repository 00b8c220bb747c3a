/** A run: judges the selected clauses against a target, within its limits of time, money and concurrency. */

import { loadClauses } from "./catalogue.ts";
import type { Clause, Context } from "./clause.ts";
import { httpClient } from "./exchange.ts";
import type { Exchange, Seen } from "./exchange-record.ts";
import { canonical } from "./json.ts";
import { blockedBy, inapplicable, judgeClause, packedAccepted } from "./judge-clause.ts";
import type { Probe, RequestProbe, TaskProbe } from "./probe.ts";
import { lastLife, only } from "./reading.ts";
import type { RunSettings } from "./run-settings.ts";
import { type Selection, select } from "./select.ts";
import { filled, type Sending, sender } from "./send.ts";
import { type Sink, silentSink } from "./sink.ts";
import { TaskRunner } from "./task-runner.ts";
import type { Ruling } from "./verdict.ts";
import { VideoJobs } from "./video-jobs.ts";
import { Lane, limiter } from "./waiting.ts";

export interface Run {
  readonly selections: readonly Selection[];
  /** The ruling of a clause, once it is there; NOT-RUN at once for one that is not selected. */
  readonly ruling: (id: string) => Promise<Ruling>;
  /** All rulings by id, after open tasks were cancelled and the files were closed. */
  readonly finished: Promise<ReadonlyMap<string, Ruling>>;
  /** Ends the run early: what is not judged yet is NOT-RUN or INCONCLUSIVE. */
  readonly stop: () => void;
}

interface NotRun {
  readonly notRun: string;
}
const isNotRun = (seen: Seen | NotRun): seen is NotRun => "notRun" in seen;

const CLEAN_UP_MS = 15_000;
/** Times that a task is submitted again because it ended before it could be cancelled. */
const RACES = 2;

/**
 * Starts judging a target.
 * @throws UsageError when the selection matches nothing.
 */
export async function startRun(settings: RunSettings, sink: Sink = silentSink): Promise<Run> {
  const clauses = await loadClauses();
  const selections = select(clauses, settings);
  return new Judging(clauses, selections, settings, sink);
}

class Judging implements Run {
  readonly selections: readonly Selection[];
  readonly finished: Promise<ReadonlyMap<string, Ruling>>;
  readonly #clauses: ReadonlyMap<string, Clause>;
  readonly #settings: RunSettings;
  readonly #context: Context;
  readonly #end = new AbortController();
  readonly #limit;
  readonly #lane = new Lane();
  readonly #jobs: VideoJobs;
  readonly #send: (sending: Sending) => Promise<Exchange>;
  readonly #tasks: TaskRunner;
  readonly #seen = new Map<string, Promise<Seen | NotRun>>();
  readonly #rulings = new Map<string, Promise<Ruling>>();

  constructor(clauses: readonly Clause[], selections: readonly Selection[], settings: RunSettings, sink: Sink) {
    this.selections = selections;
    this.#clauses = new Map(clauses.map((clause) => [clause.id, clause]));
    this.#settings = settings;
    this.#context = { keyGiven: settings.apiKey !== undefined, failingPrompt: settings.failingPrompt !== undefined };
    this.#limit = limiter(settings.concurrency);
    this.#jobs = new VideoJobs(settings.maxVideoJobs);
    const client = httpClient(settings);
    this.#send = sender({ client, record: sink.exchange, waitCapMs: settings.waitCapMs });
    this.#tasks = new TaskRunner({
      send: this.#send,
      journal: sink.task,
      fillings: settings,
      pollIntervalMs: settings.pollInterval,
      taskTimeoutMs: settings.deadline / 2,
      signal: this.#end.signal,
    });
    const timer = setTimeout(() => this.stop(), settings.deadline);
    sink.begin(settings, selections);
    this.finished = this.#judgeSelected(sink).finally(async () => {
      clearTimeout(timer);
      await client.close();
    });
    this.finished.catch(() => undefined);
  }

  stop = (): void => this.#end.abort();

  ruling = (id: string): Promise<Ruling> => {
    const selection = this.selections.find(({ clause }) => clause.id === id);
    if (selection?.selected === false) return Promise.resolve(notRun(selection.reason ?? "not selected"));
    return this.#rulingOf(id);
  };

  async #judgeSelected(sink: Sink): Promise<ReadonlyMap<string, Ruling>> {
    const selected = this.selections.filter((selection) => selection.selected);
    await Promise.all(selected.map(async ({ clause }) => sink.verdict(clause, await this.#rulingOf(clause.id))));
    await this.#tasks.cancelOpen(AbortSignal.timeout(CLEAN_UP_MS));
    sink.end();
    const rulings = this.selections.map(async ({ clause }) => [clause.id, await this.ruling(clause.id)] as const);
    return new Map(await Promise.all(rulings));
  }

  #rulingOf(id: string): Promise<Ruling> {
    const before = this.#rulings.get(id);
    if (before !== undefined) return before;
    const clause = this.#clauses.get(id);
    if (clause === undefined) throw new Error(`Cannot judge clause "${id}": there is none of that id.`);
    const ruling = this.#judge(clause);
    this.#rulings.set(id, ruling);
    return ruling;
  }

  async #judge(clause: Clause): Promise<Ruling> {
    const beside = inapplicable(clause, this.#context);
    if (beside !== undefined) return beside;
    const needs = await Promise.all(clause.needs.map(async (id) => ({ id, ruling: await this.#rulingOf(id) })));
    const blocked = blockedBy(needs);
    if (blocked !== undefined) return blocked;
    const seen = await Promise.all(clause.probes.map((probe) => this.#seenBy(probe)));
    const missing = seen.find(isNotRun);
    if (missing !== undefined) return notRun(missing.notRun);
    return judgeClause(
      clause,
      seen.filter((exchanges): exchanges is Seen => !isNotRun(exchanges)),
      this.#context,
    );
  }

  #seenBy(probe: Probe): Promise<Seen | NotRun> {
    const before = this.#seen.get(probe.name);
    if (before !== undefined) return before;
    const seen = probe.kind === "task" ? this.#packedOrOwn(probe) : this.#request(probe);
    this.#seen.set(probe.name, seen);
    return seen;
  }

  async #request(probe: RequestProbe): Promise<Seen | NotRun> {
    const { signal } = this.#end;
    return this.#limit(async () => {
      if (signal.aborted) return OVER;
      const { name, body, ...rest } = probe;
      const text = body === undefined ? {} : { body: canonical(filled(body, this.#settings)) };
      return [await this.#send({ ...rest, ...text, probe: name, signal })];
    });
  }

  async #packedOrOwn(probe: TaskProbe): Promise<Seen | NotRun> {
    if (probe.packedIn !== undefined) {
      const packed = await this.#seenBy(probe.packedIn);
      if (!isNotRun(packed) && packedAccepted(packed)) return packed;
    }
    return this.#task(probe);
  }

  async #task(probe: TaskProbe): Promise<Seen | NotRun> {
    const leave = await this.#lane.enter(probe.order);
    try {
      const late = probe.steps.indexOf("outlive");
      const steps = late < 0 ? probe.steps : probe.steps.slice(0, late);
      const exchanges: Exchange[] = [];
      for (let race = 0; ; race += 1) {
        if (this.#end.signal.aborted) return exchanges.length > 0 ? exchanges : OVER;
        if (!this.#jobs.reserve()) return exchanges.length > 0 ? exchanges : { notRun: this.#jobs.spentReason };
        const life = await this.#tasks.submit(probe);
        this.#jobs.settle(life.exchanges[0]);
        await this.#tasks.take(life, steps);
        exchanges.push(...life.exchanges);
        if (probe.beatTheEnd && race < RACES && endedFirst(life.exchanges)) continue;
        leave();
        if (late >= 0) {
          const before = life.exchanges.length;
          await this.#tasks.take(life, probe.steps.slice(late));
          exchanges.push(...life.exchanges.slice(before));
        }
        return exchanges;
      }
    } finally {
      leave();
    }
  }
}

const OVER: NotRun = { notRun: "the deadline had passed" };
const notRun = (reason: string): Ruling => ({ verdict: "NOT-RUN", reason, evidence: [] });

/** Whether the task's first cancel was refused because the task had ended by itself. */
function endedFirst(exchanges: Seen): boolean {
  const life = lastLife(exchanges);
  const [cancel] = only(life, "cancel");
  const status = cancel?.answer?.status ?? 0;
  return status >= 400 && only(life, "poll").some((poll) => /"(completed|failed)"/.test(poll.answer?.body ?? ""));
}
