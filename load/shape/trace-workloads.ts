/** All requests of a trace as workloads, as a file of workloads lists them: one for each tenant, operation and model. Pure. */

import { formatArrivalProcess, type TraceProcess } from "../../settings/load/arrival-process.ts";
import { BadTrace, traceRows } from "./trace-rows.ts";

const PARTS = ["tenant", "operation", "model"] as const;

/** One of a file of workloads, with the members that it has there. */
type ListedWorkload = Readonly<Record<string, string>>;

/**
 * @param replay the trace, and how it is replayed: all of it, or that of an operation, a tenant or a model
 * @throws BadTrace where an entry cannot be read, states no operation, or has a name that cannot be chosen
 */
export function workloadsOfTrace(text: string, replay: TraceProcess): readonly ListedWorkload[] {
  const parts = new Map<string, Partial<TraceProcess>>();
  for (const row of traceRows(text).rows) {
    if (row.hasText)
      throw new BadTrace("its requests have texts, and no part of them can be chosen; --arrival trace:FILE sends all");
    if (row.operation === undefined) {
      throw new BadTrace(
        `${row.place} states no operation: assay load chat-stream --arrival trace:FILE sends each as one`,
      );
    }
    const part = Object.fromEntries(PARTS.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));
    const isMeant = PARTS.every((name) => replay[name] === undefined || replay[name] === row[name]);
    if (isMeant) parts.set(JSON.stringify(part), part);
  }
  if (parts.size === 0) throw new BadTrace("it has no such request");
  const models = new Set([...parts.values()].map(({ model }) => model));
  const names = new Set<string>();
  return [...parts.values()].map(({ operation = "", tenant, model }) => {
    const name = freeName([tenant, operation, models.size > 1 ? model : undefined], names);
    names.add(name);
    const process = {
      ...replay,
      operation,
      ...(tenant !== undefined && { tenant }),
      ...(model !== undefined && { model }),
    };
    return {
      ...{ name, operation, arrival: chosen(process) },
      ...(tenant !== undefined && { tenant: tenant.replace(/[^\w.-]/g, "-").slice(0, 40) }),
      ...(model !== undefined && { model }),
    };
  });
}

/** An option ends with a comma, which a name may have. */
function chosen(process: TraceProcess): string {
  for (const name of PARTS) {
    if (process[name]?.includes(","))
      throw new BadTrace(`the ${name} ${process[name]} has a comma, and cannot be chosen`);
  }
  return formatArrivalProcess(process);
}

/** A name as workloads have it, of these words, that none has yet. */
function freeName(words: readonly (string | undefined)[], taken: ReadonlySet<string>): string {
  const plain = words
    .filter((word) => word !== undefined)
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 35);
  for (let nth = 1; ; nth += 1) {
    const name = nth === 1 ? plain : `${plain}-${nth}`;
    if (!taken.has(name)) return name;
  }
}
