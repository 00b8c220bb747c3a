/** What a clause is: data and a pure judge. `builders/clause-builders.ts` shows how one is written. */

import type { RequestName } from "../../contract/fields.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import type { Level } from "../../formats/verdicts.ts";
import type { Finding, FindingOf } from "./findings.ts";
import type { Probe } from "./probe.ts";

/** What is known about a run in addition to its exchanges. */
export interface Context {
  /** Whether the run had an API key to send. */
  readonly keyGiven: boolean;
  /** Whether the run had a prompt that content review rejects. */
  readonly failingPrompt: boolean;
  /** The requests whose model is Assay's default, which the target need not know; absent: none. */
  readonly defaultModels?: readonly RequestName[];
}

/** What exchanges are compared in: those of one key have one value. */
export interface Identity {
  /** Undefined for an exchange that says nothing. */
  readonly of: (exchange: Exchange) => { readonly key: string; readonly value: string } | undefined;
  readonly expected: string;
  /** What was seen, in words. @param first the value of the first exchange of the key */
  readonly observed: (key: string, first: string, value: string) => string;
}

/** The exchanges that a statement is about, whoever sent them. */
export interface ExchangeKind {
  /** In the plural, for reasons: `completions`. */
  readonly name: string;
  /** What is judged at once: each exchange alone, or all exchanges with one video task, in the order of time. */
  readonly unit: "exchange" | "task";
  readonly fits: (unit: Exchanges) => boolean;
  /** Fewest units that verify a statement about all of them; default 1. */
  readonly least?: number;
}

export interface Clause {
  /** Begins with the area: `video.submit.status`. */
  readonly id: string;
  /** Rows of the ledger that it checks. */
  readonly rows: readonly string[];
  readonly level: Level;
  readonly area: string;
  /** The statement, in words. */
  readonly text: string;
  /** Clauses that must pass first. */
  readonly needs: readonly string[];
  /** The clauses that say what is wrong where both are violated: this one is BLOCKED then, and judged where they cannot be. */
  readonly explainedBy: readonly string[];
  /** The clauses under which this one is BLOCKED where a response says nothing about its subject. */
  readonly undecidedBy: readonly string[];
  /** What is sent for it; the first is the clause's own, the others are compared with. */
  readonly probes: readonly [Probe, ...Probe[]];
  /** What is sent in addition, and not judged by it alone: so that a fault in every fifth exchange of its kind shows in the run. */
  readonly alsoSent: readonly Probe[];
  /** Its own probe sent again; the clause must hold for each of them. */
  readonly again: readonly Probe[];
  /** Its own probe sent again where a server error came: judged together with it. */
  readonly confirmedBy: readonly Probe[];
  /** Faults of the mock that it must catch. */
  readonly provenBy: readonly string[];
  /** The profile without which the clause does not exist: that of rows about compatibility. */
  readonly profile?: "openai";
  /** The exchanges of its own probe that it is about. */
  readonly pick: (exchanges: Exchanges) => Exchanges;
  /** What is found when `pick` leaves none. */
  readonly unmet: FindingOf<"observed">;
  /** Judges responses that were cut or that ask to try again later too, instead of being INCONCLUSIVE at once. */
  readonly anyResponse: boolean;
  /** Probe whose acceptance must be verified first; `load-clauses.ts` makes it a need. */
  readonly control?: Probe;
  /** Says that it verifies the acceptance of its probe, so that it can be a control. */
  readonly accepts: boolean;
  readonly judge: (exchanges: readonly Exchanges[], context: Context) => Finding;
  /**
   * What it holds for beside its own probe: every exchange of this kind, in a run or in the traffic of others. Absent when
   * only its probe, or the comparison with others, can tell.
   */
  readonly over?: ExchangeKind;
  /** What all exchanges of that kind are compared in, in place of judging each alone. */
  readonly identity?: Identity;
  /** Judges one unit of that kind. */
  readonly judgeUnit: (unit: Exchanges, context: Context) => Finding;
}

/** Whether a clause is the first of its endpoint: that the minimal request is served. */
export const isFirst = ({ accepts, needs }: Clause): boolean => accepts && needs.length === 0;

/** A clause as it is written. */
export interface ClauseInput<L extends Level> {
  readonly row: string | readonly string[];
  readonly level: L;
  readonly needs?: readonly string[];
  readonly explainedBy?: readonly string[];
  readonly undecidedBy?: readonly string[];
  readonly probe: Probe;
  readonly others?: readonly Probe[];
  readonly alsoSent?: readonly Probe[];
  /** How many times its own probe, which must be a request, is sent again. */
  readonly again?: number;
  /** Its own probe is sent again where a server error came; its judge gets the responses after the first one. */
  readonly confirmed?: true;
  readonly provenBy?: readonly string[];
  /** Default: all of a request probe, the submission of a task probe. */
  readonly pick?: (exchanges: Exchanges) => Exchanges;
  /** Why it cannot be judged when `pick` leaves nothing. */
  readonly unmet?: string;
  readonly anyResponse?: true;
  readonly control?: Probe;
  readonly accepts?: true;
  readonly judge: (own: Exchanges, others: readonly Exchanges[], context: Context) => FindingOf<L>;
  readonly over?: ExchangeKind;
  readonly identity?: Identity;
  /** Default: `judge`, given the unit as what its own probe saw. */
  readonly judgeUnit?: (unit: Exchanges) => FindingOf<L>;
}

/** The areas, longest first, so that an id finds its own. */
export const AREAS = [
  "chat.stream",
  "chat",
  "embeddings",
  "video.submit",
  "video.poll",
  "video.cancel",
  "video",
  "auth",
  "paths",
] as const;
