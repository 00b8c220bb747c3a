/** Checks recorded exchanges again, without any network: the same verdicts as the run that recorded them. */

import { z } from "zod";
import type { RequestName } from "../../contract/fields.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { CONNECTION_SETTINGS } from "../../settings/connection-table.ts";
import type { Clause, Context } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { evaluator } from "./evaluator.ts";
import { needsOf } from "./load-clauses.ts";

const settingsShape = z.looseObject({
  keyGiven: z.boolean().default(false),
  failingPrompt: z.string().optional(),
  chatModel: z.string().optional(),
  embeddingModel: z.string().optional(),
  videoModel: z.string().optional(),
});

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
export function contextOf(settings: unknown): Context {
  const { keyGiven, failingPrompt, ...models } = settingsShape.parse(settings);
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
  return new Map(await Promise.all(clauses.map(async ({ id }) => [id, await verdictOf(id)] as const)));
}

/** Clauses that look at an exchange that redaction changed, or need one that does: here they may come to another verdict. */
export function restingOnRedacted(clauses: readonly Clause[], exchanges: readonly Exchange[]): ReadonlySet<string> {
  const redacted = new Set(exchanges.flatMap(({ probe, redacted }) => (redacted ? [currentName(probe)] : [])));
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const looksAtOne = ({ probes }: Clause): boolean =>
    probes.some(
      (probe) =>
        redacted.has(probe.name) ||
        (probe.kind === "task" && probe.packedIn !== undefined && redacted.has(probe.packedIn.name)),
    );
  const resting = clauses.filter((clause) => [clause, ...needsOf(clause, byId)].some(looksAtOne));
  return new Set(resting.map(({ id }) => id));
}

/** The name of a probe in records of earlier versions, in which one step had another name. */
const currentName = (probe: string): string => probe.replace(/^(POST \S+ then [^{]*)\boutlive\b/, "$1wait-past-end");

function byProbe(exchanges: readonly Exchange[]): ReadonlyMap<string, Exchanges> {
  const groups = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    if (exchange.retried) continue;
    const name = currentName(exchange.probe);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [exchange]);
    else group.push(exchange);
  }
  return groups;
}
