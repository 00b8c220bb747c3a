/** The names of the files in a result folder. The views of a result (`run.html`, …) are named by `reports/report-formats.ts`. */

import { LOAD_FILE } from "../settings/load/load-json.ts";

export const FILES = {
  records: "records.jsonl",
  client: "client.jsonl",
  tasks: "tasks.jsonl",
  search: "search.json",
  /** Why Assay ended a load before its time; absent where it did not. */
  stop: "stop.json",
  exchanges: "exchanges.jsonl",
  verdicts: "verdicts.jsonl",
  /** Folder of a load's: the exchanges of it that were checked, and what came of that. */
  check: "check",
  /** Folder of a load's that a cluster ran: a folder for each of its runners. */
  runners: "runners",
  /** The ground truth of a calibration. */
  ledger: "ledger.jsonl",
  calibration: "calibration.json",
  /** The spread between the runs of a repeated load. */
  repeat: "repeat.json",
  /** What several runs of unlike loads measured. */
  runs: "runs.json",
  runTable: "runs.parquet",
  /** What each search of a grid found. */
  searches: "searches.json",
  /** The exchanges that a conformance result cites, for browsers and other tools. */
  har: "exchanges.har",
  /** The specification with what a conformance result says of each statement. */
  specification: "specification.html",
  /** A conformance result in forms to publish. */
  badge: "publish/badge.svg",
  summary: "publish/summary.md",
  /** Many results, a line each. */
  history: "history.jsonl",
  /** Several results on one page. */
  index: "index.html",
  /** What the target told of itself during a load. */
  scrapes: "scrapes.jsonl",
  /** Responses to canary prompts, alone and during a load. */
  canary: "canary.jsonl",
  /** The requests of a load and the gaps between their chunks, as tables. */
  requestTable: "requests.parquet",
  gapTable: "gaps.parquet",
  /** The dashboard of k6, as it was at the end. */
  dashboard: "web-dashboard.html",
  /** What k6 ran, on which load, and what it logged. */
  bundle: "bundle.js",
  load: LOAD_FILE,
  k6Log: "k6.log",
} as const;
