/**
 * Checks the traffic of others: every exchange against every clause that needs no probe. What is violated is said at once,
 * the verdicts follow at the end.
 */

import type { Answer, Exchange } from "../../formats/exchanges.ts";
import type { TrafficCounts } from "../../formats/verdicts.ts";
import { REDACTED, redactor } from "../../lib/redact.ts";
import { cachedBy } from "../judges/status.ts";
import { atWrongAddress } from "../judges/wrong-address.ts";
import type { Clause } from "../model/clause.ts";
import { type ClauseVerdict, inconclusive, verdictFrom } from "../model/findings.ts";
import { applyBaseline, type Baseline, staleEntries } from "./baseline.ts";
import type { Selection } from "./clause-selection.ts";
import { InvariantChecker, isInvariant } from "./invariants.ts";
import type { ClauseOutcome } from "./known-tasks.ts";
import { lineBytes, type Sink } from "./run-files.ts";
import { queryValues, TrafficSecrets, withoutSecretValues } from "./traffic-secrets.ts";
import { formWith, type WrittenForm } from "./written-exchange.ts";

export interface TrafficOptions {
  readonly selections: readonly Selection[];
  readonly baseline: Baseline;
  readonly sink: Pick<Sink, "exchange" | "verdict" | "end">;
  /** Called at each violation that was not there before. */
  readonly violated: (violation: TrafficViolation) => void;
  /** Write no text of any body, no value of any query parameter, nor what verdicts quote of a body. */
  readonly redactBodies: boolean;
  /** When the run began, ISO 8601. */
  readonly startedAt: string;
  /** How exchanges are written; absent: without the secrets of all clients so far. */
  readonly form?: WrittenForm;
  /** Bytes of exchanges that are written; after that, only those that show a violation. */
  readonly mostRecorded?: number;
}

/** A clause that an exchange violates, as it may be shown. */
export interface TrafficViolation {
  readonly clause: Clause;
  readonly verdict: ClauseVerdict;
  /** How many exchanges or tasks violate the clause by now. */
  readonly count: number;
  readonly exchange: Exchange;
}

const MOST_RECORDED = 256 * 1024 * 1024;
/** Of each clause, the exchanges of so many violations are always written. */
const MOST_SHOWN = 5;

/** The verdict of every clause that needs no probe, from what the traffic had for it. */
function verdictsOf(checker: InvariantChecker, clauses: readonly Clause[]): ReadonlyMap<string, ClauseVerdict> {
  const found = checker.verdicts();
  const { foreign, sawService } = checker;
  const elsewhere =
    foreign === undefined || sawService
      ? undefined
      : verdictFrom("required", inconclusive(atWrongAddress(foreign.words)), [foreign.id]);
  return new Map(
    clauses.filter(isInvariant).map(({ id, over, accepts }) => {
      if (elsewhere !== undefined && accepts) return [id, elsewhere];
      const verdict = found.get(id) ?? notSeen(`the traffic had no ${over.name}`);
      return [id, decided(verdict, checker.outcomeOf(id))];
    }),
  );
}

/** Checks recorded traffic again. */
export function trafficVerdicts(
  clauses: readonly Clause[],
  exchanges: readonly Exchange[],
): ReadonlyMap<string, ClauseVerdict> {
  const checker = new InvariantChecker(clauses, CONTEXT);
  for (const exchange of exchanges) checker.add(exchange);
  return verdictsOf(checker, clauses);
}

/** Ids of the clauses that recorded traffic cannot decide again: all, when anything was taken out of it. */
export const trafficOnRedacted = (clauses: readonly Clause[], exchanges: readonly Exchange[]): ReadonlySet<string> =>
  new Set(exchanges.some(({ redacted }) => redacted) ? clauses.map(({ id }) => id) : []);

const CONTEXT = { keyGiven: true, failingPrompt: true };

export class TrafficRun {
  readonly #options: TrafficOptions;
  readonly #checker: InvariantChecker;
  readonly #secrets = new TrafficSecrets();
  #recordedBytes = 0;
  #judged = 0;
  #clientLeft = 0;
  #unrecorded = 0;
  #cached = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const clauses = options.selections.filter(({ selected }) => selected).map(({ clause }) => clause);
    this.#checker = new InvariantChecker(clauses, CONTEXT);
  }

  /** A request has come, whose secrets are those of all exchanges from now on. */
  begin(request: Exchange["request"]): void {
    if (this.#options.form === undefined) this.#secrets.add({ request });
  }

  /** Judges an exchange and writes it. */
  add(exchange: Exchange): void {
    const violations = this.#checker.add(exchange);
    if (exchange.failure?.kind === "client") this.#clientLeft += 1;
    else {
      this.#judged += 1;
      if (cachedBy(exchange) !== undefined) this.#cached += 1;
    }
    if (this.#options.form === undefined) this.#secrets.add(exchange);
    const written = this.#written(exchange);
    this.#record(
      written,
      violations.some(({ count }) => count <= MOST_SHOWN),
    );
    for (const { clause, verdict, count } of violations) {
      this.#options.violated({ clause, verdict: this.#shown(verdict), count, exchange: written });
    }
  }

  /** Writes the verdicts. @param unchecked exchanges that could not be taken */
  end(unchecked: number): void {
    const { selections, baseline, sink, startedAt } = this.#options;
    const clauses = selections.filter(({ selected }) => selected).map(({ clause }) => clause);
    const found = verdictsOf(this.#checker, clauses);
    const verdicts = new Map<string, ClauseVerdict>();
    for (const clause of clauses) {
      const verdict = found.get(clause.id);
      if (verdict === undefined) continue;
      const final = this.#shown(applyBaseline(baseline, startedAt, clause.id, verdict));
      verdicts.set(clause.id, final);
      sink.verdict(clause, final);
    }
    const traffic: TrafficCounts = {
      requests: this.#judged + this.#clientLeft + unchecked,
      judged: this.#judged,
      clientLeft: this.#clientLeft,
      unchecked,
      unrecorded: this.#unrecorded,
      ...(this.#cached > 0 && { cached: this.#cached }),
    };
    sink.end({
      staleBaseline: staleEntries(baseline, startedAt, verdicts),
      basis: this.#checker.basis(),
      traffic,
    });
  }

  #record(written: Exchange, isEvidence: boolean): void {
    const { sink, mostRecorded = MOST_RECORDED } = this.#options;
    const bytes = lineBytes(written);
    if (this.#recordedBytes + bytes > mostRecorded && !isEvidence) {
      this.#unrecorded += 1;
      return;
    }
    this.#recordedBytes += bytes;
    sink.exchange(written);
  }

  get #form(): WrittenForm {
    return this.#options.form ?? this.#secrets.form;
  }

  /** An exchange without secrets and, where bodies are not written, without what its client and the target said. */
  #written(exchange: Exchange): Exchange {
    const { redactBodies } = this.#options;
    const clean = this.#form.exchange(withoutSecretValues(exchange, redactBodies));
    return redactBodies ? withoutQueryValues(withoutBodies(clean), queryValues(exchange.request.url)) : clean;
  }

  /** A verdict without secrets and, where bodies are not written, without what it quotes of them. */
  #shown(verdict: ClauseVerdict): ClauseVerdict {
    const clean = this.#form.verdict(verdict);
    return this.#options.redactBodies ? { ...clean, reason: withoutQuotes(clean) } : clean;
  }
}

function withoutBodies({ request, answer, ...rest }: Exchange): Exchange {
  return {
    ...rest,
    request: { ...request, ...(request.body !== undefined && { body: REDACTED }) },
    ...(answer && { answer: withoutBody(answer) }),
    redacted: true,
  };
}

const withoutBody = ({ base64: _, ...answer }: Answer): Answer => ({
  ...answer,
  body: answer.body === "" ? "" : REDACTED,
});

/** An exchange whose headers do not repeat the query either, as that of a redirect does. */
function withoutQueryValues(exchange: Exchange, values: readonly string[]): Exchange {
  if (values.length === 0) return exchange;
  const { request, ...rest } = formWith(redactor(values, [])).exchange(exchange);
  // A value may be a word of the path, which is none of its places.
  return { ...rest, request: { ...request, url: exchange.request.url } };
}

/** The reason of a verdict without any text of a body: only violations say more than how many there were. */
function withoutQuotes({ verdict, reason }: ClauseVerdict): string {
  const isViolation = verdict === "FAIL" || verdict === "WARN" || verdict === "KNOWN";
  if (!isViolation) return reason.slice(reason.lastIndexOf("; ") + 1).trim();
  return reason.replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, '"<redacted>"');
}

const notSeen = (reason: string): ClauseVerdict => ({ verdict: "NOT-APPLICABLE", reason, evidence: [] });

/** What the traffic left open is not the target's: only responses that were cut or too long keep a clause unverified. */
const decided = (verdict: ClauseVerdict, outcome: ClauseOutcome | undefined): ClauseVerdict =>
  verdict.verdict === "INCONCLUSIVE" && outcome !== "unusable" ? { ...verdict, verdict: "NOT-APPLICABLE" } : verdict;
