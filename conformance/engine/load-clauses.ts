/** Finds every clause in `clauses/`, ties controls to the clauses that verify them, and refuses a broken catalogue. */

import { readdirSync } from "node:fs";
import { isClause } from "../builders/clause-builders.ts";
import type { Clause } from "../model/clause.ts";

const FOLDER = new URL("../clauses/", import.meta.url);

/** Loads the exported clauses, and arrays of them, of every file of `clauses/`, in the order of areas and files. */
export async function loadClauses(): Promise<readonly Clause[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".ts"));
  const names = files.map((file) => file.replace(/\.ts$/, "")).sort();
  // The compiler of a package finds the files by this pattern.
  const modules: unknown[] = await Promise.all(names.map((name) => import(`../clauses/${name}.ts`)));
  return linked(modules.flatMap(clausesIn));
}

/** In the order of the names of exports: that of the source differs between loaders of TypeScript. */
const clausesIn = (module: unknown): readonly Clause[] =>
  Object.entries(module ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, exported]) => exported)
    .filter(isClause);

/**
 * Turns each control into a need, and checks that ids are unique and needs exist and form no circle.
 * @throws Error that names the clause at fault.
 */
export function linked(clauses: readonly Clause[]): readonly Clause[] {
  const ids = clauses.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new Error(`Cannot load the clauses: two are named "${twice}".`);
  const done = clauses.map((clause) => ({
    ...clause,
    needs: [...new Set([...clause.needs, ...controlNeeds(clause, clauses)])],
  }));
  const byId = new Map(done.map((clause) => [clause.id, clause]));
  for (const clause of done) needsOf(clause, byId, []);
  return done;
}

function controlNeeds({ id, control }: Clause, clauses: readonly Clause[]): readonly string[] {
  if (control === undefined) return [];
  const verifying = clauses.find(({ accepts, probes }) => accepts && probes[0].name === control.name);
  if (verifying === undefined)
    throw new Error(`Cannot load clause "${id}": no clause verifies its control ${control.name}.`);
  return [verifying.id];
}

/** Every clause that this one needs, directly or not, nearest first. */
export function needsOf(
  clause: Clause,
  byId: ReadonlyMap<string, Clause>,
  above: readonly string[] = [],
): readonly Clause[] {
  if (above.includes(clause.id)) throw new Error(`Cannot load clause "${clause.id}": it needs itself.`);
  return clause.needs.flatMap((id) => {
    const need = byId.get(id);
    if (need === undefined)
      throw new Error(`Cannot load clause "${clause.id}": it needs "${id}", which does not exist.`);
    return [need, ...needsOf(need, byId, [...above, clause.id])];
  });
}
