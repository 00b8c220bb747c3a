/** Evaluates clauses on exchanges, wherever these come from: a target that is probed, or the record of a run. */

import type { RequestName } from "../../contract/fields.ts";
import { API_PREFIX, PATHS } from "../../contract/service.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { refusedRequests } from "../judges/exchange-kinds.ts";
import { isServerError, wasServed } from "../judges/refusal.ts";
import { requestName } from "../judges/request-rules.ts";
import { latestTask } from "../judges/task-history.ts";
import { refusesModel } from "../judges/unknown-model.ts";
import { atWrongAddress, foreignResponse, withoutPrefix } from "../judges/wrong-address.ts";
import { type Clause, type Context, isFirst } from "../model/clause.ts";
import { type ClauseVerdict, inconclusive, verdictFrom } from "../model/findings.ts";
import { LEFT_OUT, type LeftOut, type Probe, sentWithout } from "../model/probe.ts";
import { bareKey, chat, chatUnlimited, chatUnprefixed } from "../probes/chat.ts";
import { embed, embedUnprefixed } from "../probes/embeddings.ts";
import { blockedBy, cameInPart, harnessError, inapplicable, type Judgement, judgeClause } from "./judge-clause.ts";

/** A probe that was not carried out, and why. */
export interface NotRun {
  readonly notRun: string;
  /** The run ended before it. */
  readonly ended?: true;
}
const isNotRun = (exchanges: Exchanges | NotRun): exchanges is NotRun => "notRun" in exchanges;

/** Whether no request of a probe was left open: more of these would use up the time of the run. */
const wasAnswered = (exchanges: Exchanges | NotRun): boolean =>
  !isNotRun(exchanges) && exchanges.every(({ failure }) => failure?.kind !== "timeout");

/** An open request of at least so many milliseconds is being served: an unknown path is refused at once. */
const SERVED_AFTER_MS = 1_000;

/** Whether a path is one of the service: it responds as one, or works on a response. */
const isOfService = (exchange: Exchange): boolean =>
  exchange.answer === undefined
    ? (exchange.failure?.afterMs ?? 0) >= SERVED_AFTER_MS
    : foreignResponse(exchange) === undefined;

const isViolation = ({ verdict }: ClauseVerdict): boolean => verdict === "FAIL" || verdict === "WARN";

/** What is known of the end of a run. */
export interface End {
  /** Why the run ended before all was sent; undefined while it goes on, or where it did not. */
  readonly reason: () => string | undefined;
  /** Why nothing more is checked, though its exchanges may be there. */
  readonly tooLate: () => string | undefined;
  /** Whether somebody stopped it: it says of nothing that it was tried in vain. */
  readonly isStopped: boolean;
}
const NO_END: End = { reason: () => undefined, tooLate: () => undefined, isStopped: false };

/** Requests that tell a service without one of its endpoints from an address that is not of the service. */
const LANDMARKS: readonly Probe[] = [chat(), embed()];
/** By the name of the request; none of videos, which cost money. */
const LANDMARK_OF: Readonly<Partial<Record<RequestName, Probe>>> = { chat: chat(), embeddings: embed() };
/** The same without the prefix, for a service that has its paths there. */
const UNPREFIXED: readonly Probe[] = [
  chatUnprefixed(PATHS.chat.slice(API_PREFIX.length)),
  embedUnprefixed(PATHS.embeddings.slice(API_PREFIX.length)),
];

const REFUSED_CHAT = refusedRequests("chat");

const endpointOf = ({ probes: [probe] }: Clause): string | undefined =>
  probe.kind === "task" ? PATHS.videos : Object.values(PATHS).find((path) => probe.path.startsWith(path));

/** That a target refuses what is in every request, without which the other clauses are judged. */
const goingOn = (own: ClauseVerdict, without: LeftOut): Judgement => ({
  ...own,
  reason: `${own.reason}; the other clauses are judged without ${LEFT_OUT[without]}`,
  without,
  goesOn: true,
});

/** A clause whose requests are sent without something; undefined for one that is about that. */
function clauseWithout(clause: Clause, without: LeftOut): Clause | undefined {
  const sent = (probes: readonly Probe[]): readonly Probe[] =>
    probes.flatMap((probe) => sentWithout(probe, without) ?? []);
  const [own, ...others] = sent(clause.probes);
  if (own === undefined || others.length + 1 < clause.probes.length) return undefined;
  const { alsoSent, again, confirmedBy } = clause;
  return {
    ...clause,
    probes: [own, ...others],
    alsoSent: sent(alsoSent),
    again: sent(again),
    confirmedBy: sent(confirmedBy),
  };
}

/** A function that is called once for each id. */
function oncePerId<T>(make: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (id) => {
    const known = made.get(id) ?? make(id);
    made.set(id, known);
    return known;
  };
}

/** Gives the exchanges of a probe. */
export type ExchangeSource = (probe: Probe) => Promise<Exchanges | NotRun>;

/** The verdict of a clause that was not checked. */
export const notRun = (reason: string): ClauseVerdict => ({ verdict: "NOT-RUN", reason, evidence: [] });

const orHarnessError = (id: string, judged: Promise<Judgement>): Promise<Judgement> =>
  judged.catch((error: unknown) => harnessError(`checking ${id} failed`, error));

/**
 * Makes the function that evaluates a clause by its id: once, and its needs before it.
 * @param clauses linked clauses, as `loadClauses` gives them
 */
export const evaluator = (
  clauses: readonly Clause[],
  source: ExchangeSource,
  context: Context,
  end: End = NO_END,
): ((id: string) => Promise<ClauseVerdict>) => new ClauseEvaluator(clauses, source, context, end).verdictOf;

class ClauseEvaluator {
  readonly #byId: ReadonlyMap<string, Clause>;
  /** By endpoint, the clause about its minimal request. */
  readonly #firsts: ReadonlyMap<string | undefined, Clause>;
  readonly #source: ExchangeSource;
  readonly #context: Context;
  readonly #end: End;

  constructor(clauses: readonly Clause[], source: ExchangeSource, context: Context, end: End) {
    this.#byId = new Map(clauses.map((clause) => [clause.id, clause]));
    this.#firsts = new Map(clauses.filter(isFirst).map((clause) => [endpointOf(clause), clause]));
    this.#source = source;
    this.#context = context;
    this.#end = end;
  }

  readonly verdictOf = oncePerId((id) => orHarnessError(id, this.#attributed(this.#clauseOf(id), new Set([id]))));

  /** What a clause came to before it is known what follows from what. */
  readonly #judgementOf = oncePerId((id) => orHarnessError(id, this.#evaluate(this.#clauseOf(id))));

  #clauseOf(id: string): Clause {
    const clause = this.#byId.get(id);
    if (clause === undefined) throw new Error(`Cannot check clause "${id}": there is no clause of that id.`);
    return clause;
  }

  async #evaluate(clause: Clause): Promise<Judgement> {
    const beside = inapplicable(clause, this.#context);
    if (beside !== undefined) return beside;
    const known = clause.needs.filter((id) => this.#byId.has(id));
    const needs = await Promise.all(known.map(async (id) => ({ id, verdict: await this.#judgementOf(id) })));
    const blocked = blockedBy(needs.filter(({ verdict }) => !verdict.goesOn));
    if (blocked !== undefined) return (await this.#inPart(clause, blocked)) ?? blocked;
    const without = needs.find(({ verdict }) => verdict.without !== undefined)?.verdict.without;
    if (without === undefined) return await this.#orWithout(clause, await this.#judged(clause));
    return await this.#judgedWithout(without, clause);
  }

  /** What a clause comes to at a target that is asked without what it refuses; BLOCKED where the clause is about that. */
  async #judgedWithout(without: LeftOut, clause: Clause): Promise<Judgement> {
    const sent = clauseWithout(clause, without);
    if (sent !== undefined) return { ...(await this.#judged(sent)), without };
    const first = this.#firsts.get(endpointOf(clause));
    const said = first && blockedBy([{ id: first.id, verdict: await this.#judgementOf(first.id) }]);
    return said ?? (await this.#judged(clause));
  }

  /**
   * What a clause comes to that was judged as the specification has it: where the target serves the endpoint without a part of that
   * alone, the first clause of the endpoint finds that, and the others are judged so.
   */
  async #orWithout(clause: Clause, own: Judgement): Promise<Judgement> {
    const first = this.#firsts.get(endpointOf(clause));
    if (first !== clause) {
      const mayFollow = own.elsewhere || (own.verdict === "FAIL" && clause.explainedBy.includes(first?.id ?? ""));
      const { without } = mayFollow && first !== undefined ? await this.#judgementOf(first.id) : {};
      return without === undefined ? own : await this.#judgedWithout(without, clause);
    }
    if (own.elsewhere) return (await this.#servesBareKey(clause)) ? await this.#judgedWithout("bearer", clause) : own;
    if (own.verdict !== "FAIL") return own;
    const exchanges = await this.#packedOrOwn(clause.probes[0]);
    if (await this.#servesWithoutLimit(exchanges)) return goingOn(own, "maxTokens");
    return (await this.#wrongAddress(own, exchanges)) ?? own;
  }

  /** Whether the target takes the key alone, which it refused as a bearer token: of videos, which cost money, as chats tell. */
  async #servesBareKey(clause: Clause): Promise<boolean> {
    const tried = await this.#packedOrOwn(bareKey(endpointOf(clause) === PATHS.embeddings ? embed : chat));
    return !isNotRun(tried) && tried.some(wasServed);
  }

  /** Whether the target serves a chat that it refused for what it holds, without max_tokens. */
  async #servesWithoutLimit(refused: Exchanges | NotRun): Promise<boolean> {
    if (isNotRun(refused) || !REFUSED_CHAT.fits(refused)) return false;
    const exchanges = await this.#source(chatUnlimited);
    return !isNotRun(exchanges) && exchanges.some(wasServed);
  }

  async #judged(clause: Clause): Promise<Judgement> {
    const exchanges = await Promise.all(clause.probes.map((probe) => this.#packedOrOwn(probe)));
    if (exchanges.every(wasAnswered)) await Promise.all(clause.alsoSent.map((probe) => this.#source(probe)));
    const missing = exchanges.find(isNotRun);
    const why = missing?.notRun ?? this.#end.tooLate();
    if (why !== undefined) return notRun(why);
    const came = exchanges.filter((one): one is Exchanges => !isNotRun(one));
    const isServerFault = clause.pick(came[0] ?? []).some(isServerError);
    const confirmed = isServerFault ? await this.#gathered(clause.confirmedBy) : [];
    const context = await this.#contextOf(came);
    const verdict = judgeClause(clause, came, context, confirmed);
    const unfinished = this.#unfinished(clause, came);
    const saysWhy = verdict.verdict === "INCONCLUSIVE" && !this.#end.isStopped;
    if (unfinished !== undefined && !isViolation(verdict) && !saysWhy) return notRun(unfinished);
    if (verdict.verdict === "PASS" && came.every(wasAnswered))
      return this.#onRepeats(clause, verdict, came.slice(1), confirmed);
    return verdict;
  }

  /** The context for exchanges of which one refuses a default model: one that the target served before is known to it. */
  async #contextOf(came: readonly Exchanges[]): Promise<Context> {
    const { defaultModels = [] } = this.#context;
    const refused = defaultModels.filter((name) =>
      came.flat().some((one) => requestName(one) === name && refusesModel(one)),
    );
    const served = await Promise.all(
      refused.map(async (name) => {
        const probe = LANDMARK_OF[name];
        const exchanges = probe === undefined ? [] : await this.#source(probe);
        return !isNotRun(exchanges) && exchanges.some(wasServed);
      }),
    );
    const known = refused.filter((_, index) => served[index]);
    return known.length === 0
      ? this.#context
      : { ...this.#context, defaultModels: defaultModels.filter((name) => !known.includes(name)) };
  }

  /** Why exchanges are not all that the clause takes: the run ended before they did. A task may have been left on its way. */
  #unfinished({ probes }: Clause, came: readonly Exchanges[]): string | undefined {
    const cut = came.flat().find(({ failure }) => failure?.kind === "deadline");
    return cut?.failure?.message ?? (probes.some(({ kind }) => kind === "task") ? this.#end.reason() : undefined);
  }

  /** What the part that came of a response shows of a clause that is blocked because the rest did not come. */
  async #inPart(clause: Clause, { blockedBy: need = "" }: ClauseVerdict): Promise<Judgement | undefined> {
    const [probe] = clause.probes;
    // A clause that takes responses of any kind finds fault with the cut itself.
    if (clause.anyResponse || this.#byId.get(need)?.probes[0].name !== probe.name) return undefined;
    const exchanges = await this.#source(probe);
    if (isNotRun(exchanges) || !exchanges.some(cameInPart)) return undefined;
    const verdict = judgeClause(clause, [exchanges], this.#context);
    return isViolation(verdict) ? verdict : undefined;
  }

  /** The exchanges of probes, of those that were carried out. */
  async #gathered(probes: readonly Probe[]): Promise<readonly Exchanges[]> {
    return (await Promise.all(probes.map((probe) => this.#source(probe)))).filter(
      (one): one is Exchanges => !isNotRun(one),
    );
  }

  /** The verdict of a clause that holds for its own probe: that of the first repetition that violates it. */
  async #onRepeats(
    clause: Clause,
    own: Judgement,
    others: readonly Exchanges[],
    confirmed: readonly Exchanges[],
  ): Promise<Judgement> {
    const sent = await Promise.all(clause.again.map((probe) => this.#source(probe)));
    const [left] = sent.flatMap((one) => (isNotRun(one) && one.ended ? [one.notRun] : []));
    const repeats = sent.filter((one): one is Exchanges => !isNotRun(one));
    const verdicts = repeats.map((repeat) => judgeClause(clause, [repeat, ...others], this.#context, confirmed));
    const bad = verdicts.filter(({ verdict }) => !["PASS", "INCONCLUSIVE", "NOT-APPLICABLE"].includes(verdict));
    const [first] = bad;
    if (first === undefined) {
      const why = left ?? this.#unfinished(clause, repeats);
      return why === undefined ? own : notRun(why);
    }
    const share = { count: bad.length, of: repeats.length + 1, kind: "such requests" };
    return { ...first, reason: `${first.reason}; ${share.count} of ${share.of} ${share.kind}`, share };
  }

  /**
   * The verdict of a clause: BLOCKED where it follows from what another clause is about.
   * @param asked the clauses whose verdict waits for this one: two may be about each other's response, and none waits for itself
   */
  async #attributed(clause: Clause, asked: ReadonlySet<string>): Promise<Judgement> {
    const { elsewhere, ...own } = await this.#judgementOf(clause.id);
    const verdictFor = (id: string) => this.#attributed(this.#clauseOf(id), new Set([...asked, id]));
    if (own.blockedBy !== undefined) {
      if (asked.has(own.blockedBy)) return own;
      const cause = await verdictFor(own.blockedBy);
      return cause.verdict === "BLOCKED" ? { ...cause, evidence: own.evidence } : own;
    }
    const ids = elsewhere ? clause.undecidedBy : own.verdict === "FAIL" ? clause.explainedBy : [];
    for (const id of ids.filter((one) => this.#byId.has(one) && !asked.has(one))) {
      const judged = await this.#judgementOf(id);
      const isCause = judged.verdict === "FAIL" || (judged.verdict === "INCONCLUSIVE" && judged.elsewhere !== true);
      if (!elsewhere && !isCause) continue;
      const verdict = await verdictFor(id);
      if (["FAIL", "INCONCLUSIVE", "BLOCKED"].includes(verdict.verdict)) return blockedBy([{ id, verdict }]) ?? own;
    }
    return own;
  }

  /** The verdict where neither this request nor those to other endpoints got a response of the service. */
  async #wrongAddress({ evidence }: ClauseVerdict, exchanges: Exchanges | NotRun): Promise<Judgement | undefined> {
    const found = isNotRun(exchanges) ? undefined : foreignResponse(exchanges[0]);
    if (found === undefined) return undefined;
    for (const probe of LANDMARKS) {
      const others = await this.#source(probe);
      if (!isNotRun(others) && others.some(isOfService)) return undefined;
    }
    for (const probe of UNPREFIXED) {
      const others = await this.#source(probe);
      if (isNotRun(others) && others.ended) return notRun(others.notRun);
      const served = isNotRun(others) ? undefined : others.find(wasServed);
      if (served !== undefined) {
        const verdict = verdictFrom("required", withoutPrefix(found, served), [...evidence, served.id]);
        return goingOn(verdict, "prefix");
      }
    }
    return verdictFrom("required", inconclusive(atWrongAddress(found)), evidence);
  }

  /** A packed job that was accepted stands for the job of each of its fields; a probe for after a refusal waits for it. */
  async #packedOrOwn(probe: Probe): Promise<Exchanges | NotRun> {
    if (probe.kind === "task" && probe.packedIn !== undefined) {
      const packed = await this.#source(probe.packedIn);
      if (!isNotRun(packed) && wasServed(latestTask(packed)[0])) return packed;
    }
    if (probe.kind === "request" && probe.afterRefused !== undefined) {
      const before = await this.#source(probe.afterRefused);
      if (!this.#context.keyGiven || isNotRun(before) || before[0]?.answer?.status !== 401) return [];
    }
    return this.#source(probe);
  }
}
