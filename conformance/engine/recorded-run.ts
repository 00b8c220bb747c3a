/** Checks recorded exchanges again, without any network: the same verdicts as the run that recorded them. */

import type { RequestName } from "../../contract/fields.ts";
import type { Exchange, Exchanges, RecordedCheckSettings } from "../../formats/exchanges.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { CONNECTION_SETTINGS } from "../../settings/connection-table.ts";
import type { Clause, Context } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { plainName } from "../model/probe.ts";
import { evaluator } from "./evaluator.ts";
import { withEveryExchange } from "./every-exchange.ts";
import { InvariantChecker, isInvariant } from "./invariants.ts";
import { needsOf } from "./load-clauses.ts";

/** The settings of the models of each request. */
const MODELS = { chat: "chatModel", embeddings: "embeddingModel", videos: "videoModel" } as const;

/** The requests whose model is the default of its setting. */
export const defaultModelsOf = (
  settings: Readonly<Partial<Record<(typeof MODELS)[RequestName], string | undefined>>>,
): readonly RequestName[] =>
  (["chat", "embeddings", "videos"] as const).filter(
    (name) => settings[MODELS[name]] === CONNECTION_SETTINGS[MODELS[name]].default,
  );

/** What the judges may know of a recorded run, from the settings in the header of its files. */
export function contextOf({ keyGiven = false, failingPrompt, ...models }: RecordedCheckSettings): Context {
  return { keyGiven, failingPrompt: failingPrompt !== undefined, defaultModels: defaultModelsOf(models) };
}

/** Evaluates every clause on recorded exchanges; a clause whose probes were not recorded is NOT-RUN. */
export async function evaluateRecorded(
  clauses: readonly Clause[],
  exchanges: readonly Exchange[],
  context: Context,
): Promise<ReadonlyMap<string, ClauseVerdict>> {
  const recorded = byProbe(exchanges);
  const source = async ({ name }: { name: string }) =>
    recorded.get(name) ?? { notRun: "its exchanges were not recorded" };
  const verdictOf = evaluator(clauses, source, context);
  const checker = new InvariantChecker(clauses, context);
  for (const exchange of exchanges) checker.add(exchange);
  const onRun = async (id: string) => withEveryExchange(await verdictOf(id), id, checker);
  return new Map(await Promise.all(clauses.map(async ({ id }) => [id, await onRun(id)] as const)));
}

/** Clauses that look at an exchange that redaction changed, or need one that does: here they may come to another verdict. */
export function restingOnRedacted(clauses: readonly Clause[], exchanges: readonly Exchange[]): ReadonlySet<string> {
  const redacted = new Set(exchanges.flatMap(({ probe, redacted }) => (redacted ? [plainName(probe)] : [])));
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const looksAtOne = (clause: Clause): boolean =>
    (isInvariant(clause) && redacted.size > 0) ||
    clause.probes.some(
      (probe) =>
        redacted.has(probe.name) ||
        (probe.kind === "task" && probe.packedIn !== undefined && redacted.has(probe.packedIn.name)),
    );
  const resting = clauses.filter((clause) => [clause, ...needsOf(clause, byId)].some(looksAtOne));
  return new Set(resting.map(({ id }) => id));
}

const byProbe = (exchanges: readonly Exchange[]): ReadonlyMap<string, Exchanges> =>
  groupedBy(
    exchanges.filter(({ retried }) => !retried),
    ({ probe }) => probe,
  );
