/** The parts of the report of a load. */

import { TOOLS_TITLE } from "./tool-rows.ts";

export const SECTIONS = {
  objectives: "Objectives",
  failures: "Failures",
  latencies: "Latencies",
  totals: "Totals",
  cost: "Cost",
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
