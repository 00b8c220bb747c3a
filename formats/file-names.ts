/** The names of the files in a result folder. The views of a result (`run.html`, …) are named by `reports/report-formats.ts`. */

export const FILES = {
  records: "records.jsonl",
  client: "client.jsonl",
  tasks: "tasks.jsonl",
  exchanges: "exchanges.jsonl",
  verdicts: "verdicts.jsonl",
  /** The ground truth of a calibration. */
  ledger: "ledger.jsonl",
  calibration: "calibration.json",
  /** Several results on one page. */
  index: "index.html",
  /** What k6 ran, and what it logged. */
  bundle: "bundle.js",
  k6Log: "k6.log",
} as const;
