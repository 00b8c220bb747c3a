/** The parts of the report of a load, in the order in which every view has them; a view leaves out those that it has nothing for. */

import { TOOLS_TITLE } from "./tool-rows.ts";

const TITLES = {
  objectives: "Objectives",
  failures: "Failures",
  latencies: "Latencies",
  totals: "Totals",
  "over-time": "The whole run over time",
  requests: "Requests",
  outcomes: "Outcomes",
  checked: "Checked against the specification",
  operations: "Requests by operation",
  "target-metrics": "Target metrics",
  "other-tools": TOOLS_TITLE,
  "load-generator": "Load generator",
  run: "Run",
  definitions: "Definitions",
} as const;

type SectionId = keyof typeof TITLES;

export interface Section<T> {
  readonly id: string;
  readonly title: string;
  readonly body: T;
}

/** What a view has of the parts, in their order. */
export function inOrder<T extends {}>(bodies: Readonly<Partial<Record<SectionId, T | undefined>>>): Section<T>[] {
  const own: Readonly<Record<string, T | undefined>> = bodies;
  return Object.entries(TITLES).flatMap(([id, title]) => {
    const body = own[id];
    return body === undefined ? [] : [{ id, title, body }];
  });
}
