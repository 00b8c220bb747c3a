/**
 * When a load that is running should end before its time: a condition of `--abort-on` is met, a budget is used, or the target is gone.
 * Looks at the files of the load as they are written, so that every load generator is treated alike. Pure: lines in, a decision out.
 */

import type { ClientLine } from "../../../formats/client.ts";
import { type RecordHeader, recordHeader } from "../../../formats/records.ts";
import type { SloResult } from "../../../formats/run.ts";
import type { Stop } from "../../../formats/stop.ts";
import { parseJson } from "../../../lib/json.ts";
import { type AbortRule, parseAbortRule } from "../../../load/objectives/abort-rule.ts";
import { holds, type Slo } from "../../../load/objectives/slo.ts";
import { formatInstant, readInstant } from "../../../settings/instants.ts";
import { formatDuration } from "../../../settings/units.ts";
import { formatValue, plural } from "../../numbers.ts";
import type { evaluateObjective, OneObjective } from "../evaluate-objectives.ts";
import type { Budget } from "./budget.ts";
import { GoneTarget } from "./gone-target.ts";
import { RecentRecords } from "./recent-records.ts";

/** Units of work that must have ended within the time of a condition before it can end a run. */
const FEWEST_UNITS = 5;

/** A condition is evaluated so many times per length of its time, and once per second at most. */
const LOOKS_PER_WINDOW = 10;

export interface StopSettings {
  readonly abortOn?: readonly string[] | undefined;
  /** Milliseconds; 0: never. */
  readonly abortWhenGone: number;
  /** Length of the warm-up in milliseconds, which no condition looks at. */
  readonly warmup: number;
  /** The objectives of the run: an objective on goodput needs the bounds among them. */
  readonly objectives: readonly string[];
  /** Evaluates an objective of a load from its lines. */
  readonly evaluate: (load: OneObjective) => ReturnType<typeof evaluateObjective>;
  /** What the load may use. */
  readonly budgets?: readonly Budget[];
}

/** What is known of one load generator of the load. */
interface Source {
  header: RecordHeader | undefined;
  readonly recent: RecentRecords;
  /** The line before: everything that ended until then is in the records by now, which are written twice per second. */
  before: ClientLine | undefined;
  /** Time of that line, and what of it is measured; undefined before the first arrival. Milliseconds. */
  known: { readonly nowMs: number; readonly measuredMs: number } | undefined;
}

/** A load generator whose lines are older than those of another by more than this has ended, or cannot be followed. */
const MOST_BEHIND_MS = 10_000;

/** Conditions on a load of one load generator, or of several, whose lines are given by their numbers. */
export class StopConditions {
  readonly #rules: readonly AbortRule[];
  readonly #objectives: readonly string[];
  readonly #evaluateObjective: StopSettings["evaluate"];
  readonly #warmup: number;
  readonly #budgets: readonly Budget[];
  readonly #gone: GoneTarget;
  readonly #keepMs: number;
  readonly #sources = new Map<number, Source>();
  readonly #lookedAtMs = new Map<AbortRule, number>();
  readonly #observed = new Map<AbortRule, string>();

  /** @throws UsageError for a condition that cannot be read */
  constructor({ abortOn = [], abortWhenGone, warmup, objectives, evaluate, budgets = [] }: StopSettings) {
    this.#rules = abortOn.map(parseAbortRule);
    this.#objectives = objectives;
    this.#evaluateObjective = evaluate;
    this.#warmup = warmup;
    this.#budgets = budgets;
    this.#gone = new GoneTarget(abortWhenGone);
    this.#keepMs = Math.max(0, ...this.#rules.map(({ windowMs }) => windowMs));
  }

  /** Whether the records need not be read: nothing is asked of them. */
  get needsNoRecords(): boolean {
    return this.#rules.length === 0 && this.#budgets.length === 0;
  }

  /** Whether no line can end the load. */
  get areNone(): boolean {
    return this.needsNoRecords && this.#gone.isOff;
  }

  /** What may end the load, each with what was last observed of it. */
  states(): readonly string[] {
    return [
      ...this.#rules.map((rule) => [rule.expr, this.#observed.get(rule) ?? []].flat().join(": ")),
      ...this.#budgets.map(({ state }) => state),
      ...(this.#gone.isOff ? [] : [`no response for ${formatDuration(this.#gone.limitMs)}`]),
    ];
  }

  /** Adds a line of `records.jsonl`, the first of which is its header. @param number of the load generator */
  addRecord(line: string, number = 0): void {
    const source = this.#source(number);
    if (source.header === undefined) {
      source.header = recordHeader.safeParse(parseJson(line)).data;
      return;
    }
    if (this.#rules.length > 0) source.recent.add(line);
    if (this.#budgets.length === 0) return;
    const value = parseJson(line);
    for (const budget of this.#budgets) budget.add(value, number);
  }

  /** Looks at a line of `client.jsonl`; returns why the load should end, undefined when it should go on. */
  async look(line: ClientLine, number = 0): Promise<Stop | undefined> {
    const source = this.#source(number);
    const { before, header } = source;
    source.before = line;
    const gone = this.#gone.look(this.#together(line));
    if (gone !== undefined) return stop("gone", line.t, gone);
    for (const budget of this.#budgets) {
      const used = budget.look(line, number);
      if (used !== undefined) return { ...stop("budget", line.t, used), expr: budget.expr };
    }
    const { schedule_started_at: started } = line;
    if (header === undefined || started === undefined || before === undefined) return undefined;
    const nowMs = readInstant(header.startedAt) + before.t * 1_000;
    source.recent.end(before.ended ?? [], nowMs);
    source.known = { nowMs, measuredMs: nowMs - readInstant(started) - this.#warmup };
    const times = this.#knownOfAll();
    for (const rule of this.#rules.filter(
      (rule) => times.measuredMs >= rule.windowMs && this.#isTime(rule, times.nowMs),
    )) {
      const held = await this.#evaluate(rule, times.nowMs);
      if (held !== undefined) return { ...stop("rule", line.t, held), expr: rule.expr };
    }
    return undefined;
  }

  #source(number: number): Source {
    const known = this.#sources.get(number);
    if (known !== undefined) return known;
    const source = { header: undefined, recent: new RecentRecords(this.#keepMs), before: undefined, known: undefined };
    this.#sources.set(number, source);
    return source;
  }

  /** The counts of all load generators as those of one. */
  #together(line: ClientLine): ClientLine {
    if (this.#sources.size === 1) return line;
    const newest = [...this.#sources.values()].flatMap(({ before }) => before ?? []);
    const sum = (of: (line: ClientLine) => number | undefined): number =>
      newest.reduce((total, each) => total + (of(each) ?? 0), 0);
    const outcomes = new Set(newest.flatMap(({ outcomes = {} }) => Object.keys(outcomes)));
    return {
      ...line,
      t: Math.max(...newest.map(({ t }) => t)),
      answered: sum(({ answered }) => answered),
      completed: sum(({ completed }) => completed),
      outcomes: Object.fromEntries(
        [...outcomes].map((name) => [name, sum(({ outcomes: own = {} }) => own[name])] as const),
      ),
    };
  }

  /** Until when all load generators that go on are known. */
  #knownOfAll(): { readonly nowMs: number; readonly measuredMs: number } {
    const known = [...this.#sources.values()].flatMap((source) => source.known ?? []);
    const newest = Math.max(...known.map(({ nowMs }) => nowMs));
    const current = known.filter(({ nowMs }) => nowMs >= newest - MOST_BEHIND_MS);
    return {
      nowMs: Math.min(...current.map(({ nowMs }) => nowMs)),
      measuredMs: Math.min(...current.map(({ measuredMs }) => measuredMs)),
    };
  }

  #isTime(rule: AbortRule, nowMs: number): boolean {
    const before = this.#lookedAtMs.get(rule);
    if (before !== undefined && nowMs - before < rule.windowMs / LOOKS_PER_WINDOW) return false;
    this.#lookedAtMs.set(rule, nowMs);
    return true;
  }

  /** What was observed, when the condition holds: computed as for a run that was as long as the time of the condition. */
  async #evaluate(rule: AbortRule, nowMs: number): Promise<string | undefined> {
    const { slo, windowMs } = rule;
    const parts = [...this.#sources.values()].flatMap(({ header, recent }) =>
      header === undefined ? [] : [{ header, ...recent.endedWithin(windowMs, nowMs) }],
    );
    const units = parts.reduce((sum, part) => sum + part.units, 0);
    if (parts.length === 0 || units < FEWEST_UNITS) return undefined;
    const from = formatInstant(nowMs - windowMs);
    const timed = { warmup: 0, duration: windowMs };
    const arrivals = { warmup: 0, measure: 0 };
    const client = {
      t: windowMs / 1_000,
      offered: arrivals,
      started: arrivals,
      schedule_started_at: from,
      final: true,
    };
    const { result, offered } = await this.#evaluateObjective({
      isMerged: false,
      shards: parts.map(({ header: own, lines }) => ({
        records: [JSON.stringify({ ...own, settings: { ...own.settings, ...timed }, startedAt: from }), ...lines],
        client: [JSON.stringify(client)],
      })),
      objective: slo.expr,
      others: this.#objectives,
    });
    const counted = slo.part === undefined ? units : offered;
    if (result === undefined || counted < FEWEST_UNITS) return undefined;
    const words = observed(result, slo, counted, windowMs);
    if (result.observed !== null) this.#observed.set(rule, words);
    return holdsNow(slo, result) ? words : undefined;
  }
}

const stop = (cause: Stop["cause"], t: number, reason: string): Stop => ({ schema: "assay.stop/1", cause, t, reason });

/** A share is compared as it was observed: a condition is about its time, and not about what the target would do in the long run. */
const holdsNow = (slo: Slo, { observed, ok }: SloResult): boolean =>
  slo.unit === "share" ? observed !== null && holds(observed, slo) : ok === true;

function observed(result: SloResult, { unit, part }: Slo, units: number, windowMs: number): string {
  const value = result.observed === null ? "it held" : formatValue(result.observed, unit);
  const of = part === undefined ? "" : ` of ${part}`;
  return `${value} over the last ${formatDuration(windowMs)} (${plural(units, "request")}${of})`;
}
