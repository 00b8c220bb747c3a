/**
 * Judges every exchange of a kind, as the exchanges come: of a run or of the traffic of others. Exchanges in, violations
 * out at once, verdicts at any time. Its memory does not grow with the number of exchanges.
 */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import type { Basis, Share } from "../../formats/verdicts.ts";
import { completions, embeddings, operationOf, streams, submissions } from "../judges/exchange-kinds.ts";
import { compareWithEarlier, type FirstValues } from "../judges/identities.ts";
import { isSuccess } from "../judges/status.ts";
import { atWrongAddress, foreignResponse } from "../judges/wrong-address.ts";
import type { Clause, Context, ExchangeKind } from "../model/clause.ts";
import { type ClauseVerdict, type Finding, inconclusive, verdictFrom } from "../model/findings.ts";
import { findingOn, harnessError, levelOf } from "./judge-clause.ts";
import { type ClauseOutcome, TaskHistories, type TaskRecord } from "./known-tasks.ts";

/** A clause that holds for every exchange of a kind. */
export type Invariant = Clause & { readonly over: ExchangeKind };
/** Whether a clause can be judged on any exchange of its kind, without a probe. */
export const isInvariant = (clause: Clause): clause is Invariant => clause.over !== undefined;

/** A place at which a clause does not hold. */
export interface Violation {
  readonly clause: Invariant;
  readonly verdict: ClauseVerdict;
  /** How many units violate the clause by now, this one among them. */
  readonly count: number;
}

/** What a clause came to on every unit of its kind. */
export interface Everywhere {
  readonly verdict: ClauseVerdict;
  /** Whether a unit violates the clause, or its judge threw on one. */
  readonly isWrong: boolean;
  /** How many units decided the verdict: `3 of 40 completions`. */
  readonly words: string;
}

/** What one unit came to, and how a verdict says it. */
interface UnitVerdict {
  readonly outcome: ClauseOutcome;
  readonly verdict: ClauseVerdict;
}

/** What a clause came to on all units so far. */
interface Tally {
  readonly counts: Map<ClauseOutcome, number>;
  /** The first verdict of each outcome. */
  readonly first: Map<ClauseOutcome, ClauseVerdict>;
  /** Exchanges that show violations, the first ones. */
  readonly evidence: number[];
}

const MOST_EVIDENCE = 5;
/** Exchanges of which it is remembered what they violate. */
const MOST_VIOLATING = 1_000;

export class InvariantChecker {
  readonly #clauses: ReadonlyMap<string, Clause>;
  readonly #alone: readonly Invariant[];
  readonly #ofTasks: readonly Invariant[];
  readonly #context: Context;
  readonly #tallies = new Map<string, Tally>();
  readonly #tasks = new TaskHistories();
  /** By clause. */
  readonly #firstValues = new Map<string, FirstValues>();
  /** The clauses that single exchanges violate. */
  readonly #violated = new Map<number, ReadonlySet<string>>();
  readonly #basis: Basis = { chats: 0, streams: 0, embeddings: 0, tasks: 0, refusals: 0 };
  /** Whether any response may have been one of the service. */
  sawService = false;
  /** The first response to a request of the service that looks as if it came from elsewhere. */
  foreign: { readonly words: string; readonly id: number } | undefined;

  /** @param clauses linked clauses, as `loadClauses` gives them; those without a kind are left out. */
  constructor(clauses: readonly Clause[], context: Context) {
    this.#clauses = new Map(clauses.map((clause) => [clause.id, clause]));
    const ordered = needsFirst(clauses.filter(isInvariant));
    this.#alone = ordered.filter(({ over }) => over.unit === "exchange");
    this.#ofTasks = ordered.filter(({ over }) => over.unit === "task");
    this.#context = context;
  }

  /** Judges an exchange and what it changes. @returns what is violated that was not before */
  add(exchange: Exchange): readonly Violation[] {
    if (exchange.retried || exchange.failure?.kind === "client") return [];
    const foreign = foreignResponse(exchange);
    this.sawService ||= exchange.answer !== undefined && foreign === undefined;
    if (foreign !== undefined && operationOf(exchange) !== undefined)
      this.foreign ??= { words: foreign, id: exchange.id };
    for (const [name, fits] of BASIS) if (fits(exchange)) this.#basis[name] += 1;
    const violated = new Set<string>();
    const violations = this.#alone.flatMap((clause) => {
      const unit = [exchange];
      return clause.over.fits(unit) ? this.#count(clause, this.#judge(clause, unit, violated)) : [];
    });
    if (violated.size > 0 && this.#violated.size < MOST_VIOLATING) this.#violated.set(exchange.id, violated);
    // A request without a key that is refused is no part of what became of a task.
    const isPart = exchange.request.key === undefined || exchange.request.key === "bare" || isSuccess(exchange);
    const task = isPart ? this.#tasks.add(exchange) : undefined;
    if (task === undefined) return violations;
    for (const id of violated) task.violated.add(id);
    return [...violations, ...this.#judgeTask(task)];
  }

  /** What the verdicts rest on so far. */
  basis(): Basis {
    return { ...this.#basis };
  }

  /** The verdict of each clause that had anything to judge. */
  verdicts(): ReadonlyMap<string, ClauseVerdict> {
    return new Map(
      [...this.#alone, ...this.#ofTasks].flatMap((clause) => {
        const tally = this.#tallies.get(clause.id);
        return tally === undefined ? [] : [[clause.id, summed(clause, tally)] as const];
      }),
    );
  }

  /** What a clause came to so far; undefined when there was nothing to judge. */
  found(id: string): Everywhere | undefined {
    const clause = [...this.#alone, ...this.#ofTasks].find((one) => one.id === id);
    const tally = this.#tallies.get(id);
    if (clause === undefined || tally === undefined) return undefined;
    const decisive = decisiveOf(tally);
    return {
      verdict: summed(clause, tally),
      isWrong: decisive === "broken" || decisive === "error",
      words: shareWords(shareOf(clause, tally)),
    };
  }

  /** What decides the verdict of a clause so far; undefined when there was nothing to judge. */
  outcomeOf(id: string): ClauseOutcome | undefined {
    const tally = this.#tallies.get(id);
    return tally && decisiveOf(tally);
  }

  /** The clause, of those that this one needs, that one of the exchanges violates as well: it says what is wrong with it. */
  causeOf(id: string, evidence: readonly number[]): string | undefined {
    const clause = this.#clauses.get(id);
    const violated = evidence.flatMap((exchange) => [...(this.#violated.get(exchange) ?? [])]);
    return clause && namedBy(clause).find((need) => violated.includes(need));
  }

  #judgeTask(task: TaskRecord): readonly Violation[] {
    return this.#ofTasks.flatMap((clause) => {
      const before = task.outcomes.get(clause.id);
      // What a task violated once stays violated.
      if (before === "broken" || !clause.over.fits(task.history)) return [];
      const unit = this.#judge(clause, task.history, task.violated);
      if (before !== undefined) this.#uncount(clause, before);
      task.outcomes.set(clause.id, unit.outcome);
      return this.#count(clause, unit);
    });
  }

  /** Judges one unit, and notes the clause among the violated ones when it does not hold. */
  #judge(clause: Invariant, unit: Exchanges, violated: Set<string>): UnitVerdict {
    const ids = unit.map(({ id }) => id);
    const need = namedBy(clause).find((id) => violated.has(id));
    if (need !== undefined) {
      violated.add(clause.id);
      const reason = `${need} must hold first`;
      return { outcome: "blocked", verdict: { verdict: "BLOCKED", reason, blockedBy: need, evidence: [] } };
    }
    try {
      const isEvidence = clause.anyResponse || clause.over.unit === "task";
      const foreign = this.#wrongAddress(unit);
      const { finding, isUnusable } =
        foreign === undefined
          ? findingOn(unit, isEvidence, () => this.#findingOf(clause, unit))
          : { finding: foreign, isUnusable: true };
      if (finding.kind === "broken") violated.add(clause.id);
      const verdict = verdictFrom(levelOf(clause.level, finding), finding, ids);
      return { outcome: isUnusable ? "unusable" : finding.kind, verdict };
    } catch (error) {
      return { outcome: "error", verdict: harnessError(`the judge of ${clause.id} threw`, error) };
    }
  }

  /** Why a response is no evidence as long as nothing at the address has responded as the service does. */
  #wrongAddress([exchange]: Exchanges): Finding | undefined {
    const found = this.sawService ? undefined : foreignResponse(exchange);
    return found === undefined ? undefined : inconclusive(atWrongAddress(found));
  }

  #findingOf(clause: Invariant, unit: Exchanges): Finding {
    const [exchange] = unit;
    if (clause.identity === undefined || exchange === undefined) return clause.judgeUnit(unit, this.#context);
    const known: FirstValues = this.#firstValues.get(clause.id) ?? new Map();
    this.#firstValues.set(clause.id, known);
    return compareWithEarlier(clause.identity, exchange, known);
  }

  #count(clause: Invariant, { outcome, verdict }: UnitVerdict): readonly Violation[] {
    const tally: Tally = this.#tallies.get(clause.id) ?? { counts: new Map(), first: new Map(), evidence: [] };
    this.#tallies.set(clause.id, tally);
    const count = countOf(tally, outcome) + 1;
    tally.counts.set(outcome, count);
    if (!tally.first.has(outcome)) tally.first.set(outcome, verdict);
    if (outcome !== "broken" && outcome !== "error") return [];
    if (tally.evidence.length < MOST_EVIDENCE) tally.evidence.push(...verdict.evidence.slice(0, MOST_EVIDENCE));
    return [{ clause, verdict, count }];
  }

  #uncount(clause: Invariant, outcome: ClauseOutcome): void {
    const tally = this.#tallies.get(clause.id);
    tally?.counts.set(outcome, countOf(tally, outcome) - 1);
  }
}

/** The responses that count as a basis of verdicts. */
const BASIS: readonly (readonly [keyof Basis, (exchange: Exchange) => boolean])[] = [
  ["chats", (exchange) => completions.fits([exchange])],
  ["streams", (exchange) => streams.fits([exchange])],
  ["embeddings", (exchange) => embeddings.fits([exchange])],
  ["tasks", (exchange) => submissions.fits([exchange])],
  ["refusals", ({ answer: { status } = { status: 0 } }) => status >= 400 && status < 500],
];

/** The clauses whose violation explains that of this one. */
const namedBy = ({ needs, explainedBy }: Clause): readonly string[] => [...needs, ...explainedBy];

const countOf = ({ counts }: Tally, outcome: ClauseOutcome): number => counts.get(outcome) ?? 0;

/** Each clause after those that it needs. */
function needsFirst(clauses: readonly Invariant[]): readonly Invariant[] {
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const ordered = new Set<Invariant>();
  const place = (clause: Invariant): void => {
    for (const need of namedBy(clause).flatMap((id) => byId.get(id) ?? [])) place(need);
    ordered.add(clause);
  };
  clauses.forEach(place);
  return [...ordered];
}

/** The order in which outcomes decide a verdict: what is wrong first, what was verified before what was not. */
const DECISIVE: readonly ClauseOutcome[] = [
  "broken",
  "error",
  "holds",
  "noted",
  "unusable",
  "inconclusive",
  "not-applicable",
  "blocked",
];

const decisiveOf = (tally: Tally): ClauseOutcome =>
  DECISIVE.find((outcome) => countOf(tally, outcome) > 0) ?? "inconclusive";

/** How many of how many units decided the verdict. */
const shareOf = ({ over }: Invariant, tally: Tally): Share => ({
  count: countOf(tally, decisiveOf(tally)),
  of: DECISIVE.reduce((sum, outcome) => sum + countOf(tally, outcome), 0),
  kind: over.name,
});

/** `3 of 40 completions` */
const shareWords = ({ count, of, kind }: Share): string => `${count} of ${of} ${kind}`;

/** The verdict of a clause on all units: that of the first one that decides it, and how many of how many were like it. */
function summed(clause: Invariant, tally: Tally): ClauseVerdict {
  const { over } = clause;
  const decisive = decisiveOf(tally);
  const first = tally.first.get(decisive);
  if (first === undefined) return { verdict: "INCONCLUSIVE", reason: `no ${over.name} were judged`, evidence: [] };
  const share = shareOf(clause, tally);
  const reason = `${first.reason}; ${shareWords(share)}`;
  if (decisive === "holds" && share.count < (over.least ?? 1)) {
    return {
      verdict: "INCONCLUSIVE",
      reason: `${share.count} of the ${over.least} ${over.name} that it takes`,
      evidence: [],
    };
  }
  if (decisive !== "broken") return { ...first, reason };
  return { ...first, reason, evidence: tally.evidence.slice(0, MOST_EVIDENCE), share };
}
