/**
 * Checks the traffic of others: every exchange against every clause that needs no probe. What is violated is said at once,
 * the verdicts follow at the end.
 */

import type { Answer, Exchange } from "../../formats/exchanges.ts";
import type { TrafficCounts } from "../../formats/verdicts.ts";
import { REDACTED } from "../../lib/redact.ts";
import type { Clause } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { applyBaseline, type Baseline, staleEntries } from "./baseline.ts";
import type { Selection } from "./clause-selection.ts";
import { InvariantChecker, isInvariant } from "./invariants.ts";
import type { Outcome } from "./known-tasks.ts";
import type { Sink } from "./run-files.ts";
import { type WrittenForm, writtenForm } from "./written-exchange.ts";

export interface TrafficOptions {
  readonly selections: readonly Selection[];
  readonly baseline: Baseline;
  readonly sink: Pick<Sink, "exchange" | "verdict" | "end">;
  /** Called at each violation that was not there before. */
  readonly violated: (violation: TrafficViolation) => void;
  /** Write no text of any body, nor what verdicts quote of one. */
  readonly redactBodies: boolean;
  /** When the run began, ISO 8601. */
  readonly startedAt: string;
  /** How exchanges are written; absent: without the secrets in their own headers. */
  readonly form?: WrittenForm;
}

/** A clause that an exchange violates, as it may be shown. */
export interface TrafficViolation {
  readonly clause: Clause;
  readonly verdict: ClauseVerdict;
  /** How many exchanges or tasks violate the clause by now. */
  readonly count: number;
  readonly exchange: Exchange;
}

/** Bytes of exchanges that are written; after that, only those that show a violation. */
const MOST_RECORDED = 256 * 1024 * 1024;
/** Of each clause, the exchanges of so many violations are always written. */
const MOST_SHOWN = 5;
/** Different keys that are remembered. */
const MOST_KEYS = 1_000;

/** The verdict of every clause that needs no probe, from what the traffic had for it. */
function verdictsOf(checker: InvariantChecker, clauses: readonly Clause[]): ReadonlyMap<string, ClauseVerdict> {
  const found = checker.verdicts();
  return new Map(
    clauses.filter(isInvariant).map(({ id, over }) => {
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
  readonly #forms = new Map<string, WrittenForm>();
  #recordedBytes = 0;
  #judged = 0;
  #clientLeft = 0;
  #unrecorded = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const clauses = options.selections.filter(({ selected }) => selected).map(({ clause }) => clause);
    this.#checker = new InvariantChecker(clauses, CONTEXT);
  }

  /** Judges an exchange and writes it. */
  add(exchange: Exchange): void {
    const violations = this.#checker.add(exchange);
    if (exchange.failure?.kind === "client") this.#clientLeft += 1;
    else this.#judged += 1;
    const form = this.#formFor(exchange);
    const written = this.#withoutBodies(hiddenCookies(form.exchange(exchange)));
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
    };
    sink.end({ staleBaseline: staleEntries(baseline, startedAt, verdicts), traffic });
  }

  #record(written: Exchange, isEvidence: boolean): void {
    const bytes = (written.request.body?.length ?? 0) + (written.answer?.body.length ?? 0);
    if (this.#recordedBytes + bytes > MOST_RECORDED && !isEvidence) {
      this.#unrecorded += 1;
      return;
    }
    this.#recordedBytes += bytes;
    this.#options.sink.exchange(written);
  }

  /** How exchanges with the secrets of this one are written. */
  #formFor({ request: { headers } }: Exchange): WrittenForm {
    const { form } = this.#options;
    if (form !== undefined) return form;
    const secrets = Object.entries(headers).filter(([name]) => SECRET_HEADERS.has(name));
    const id = JSON.stringify(secrets);
    const known = this.#forms.get(id);
    if (known !== undefined) return known;
    const made = writtenForm({ headers: Object.fromEntries(secrets) });
    const [oldest] = this.#forms.keys();
    if (this.#forms.size >= MOST_KEYS && oldest !== undefined) this.#forms.delete(oldest);
    this.#forms.set(id, made);
    return made;
  }

  #withoutBodies(exchange: Exchange): Exchange {
    if (!this.#options.redactBodies) return exchange;
    const { request, answer, ...rest } = exchange;
    return {
      ...rest,
      request: { ...request, ...(request.body !== undefined && { body: REDACTED }) },
      ...(answer && { answer: withoutBody(answer) }),
      redacted: true,
    };
  }

  /** A verdict without secrets and, where bodies are not written, without what it quotes of them. */
  #shown(verdict: ClauseVerdict): ClauseVerdict {
    const { form } = this.#options;
    const forms = form === undefined ? [...this.#forms.values()] : [form];
    const clean = forms.reduce((now, one) => one.verdict(now), verdict);
    return this.#options.redactBodies ? { ...clean, reason: withoutQuotes(clean) } : clean;
  }
}

/** Request headers whose values are secret. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-api-key",
  "api-key",
]);

const withoutBody = ({ base64: _, ...answer }: Answer): Answer => ({
  ...answer,
  body: answer.body === "" ? "" : REDACTED,
});

function hiddenCookies(exchange: Exchange): Exchange {
  const { answer } = exchange;
  if (answer?.headers["set-cookie"] === undefined) return exchange;
  return { ...exchange, answer: { ...answer, headers: { ...answer.headers, "set-cookie": REDACTED } } };
}

/** The reason of a verdict without any text of a body: only violations say more than how many there were. */
function withoutQuotes({ verdict, reason }: ClauseVerdict): string {
  const isViolation = verdict === "FAIL" || verdict === "WARN" || verdict === "KNOWN";
  if (!isViolation) return reason.slice(reason.lastIndexOf("; ") + 1).trim();
  return reason.replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, '"<redacted>"');
}

const notSeen = (reason: string): ClauseVerdict => ({ verdict: "NOT-APPLICABLE", reason, evidence: [] });

/** What the traffic left open is not the target's: only responses that were cut or too long keep a clause unverified. */
const decided = (verdict: ClauseVerdict, outcome: Outcome | undefined): ClauseVerdict =>
  verdict.verdict === "INCONCLUSIVE" && outcome !== "unusable" ? { ...verdict, verdict: "NOT-APPLICABLE" } : verdict;
