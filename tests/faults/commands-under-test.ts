/** The columns of the fault matrix: how each command is started, when it is under way, and what it leaves. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stockK6 } from "../support/build-stock-k6.ts";
import { conformanceResultOf, ledgerOf, resultOf } from "../support/read-results.ts";
import type { Command, Result } from "./cell.ts";

const LOAD = [
  "--warmup",
  "0",
  "--drain",
  "1s",
  "--timeout",
  "10s",
  "--stall",
  "1s",
  "--no-default-slos",
  "--slo",
  "ok>=20",
];

const load = (scenario: string): Command => ({
  hasLongTasks: scenario === "video",
  args: ({ address, folder, isEndless, flags }) => [
    ...["load", scenario, "--target", address, "--out", folder, ...LOAD, "--duration", isEndless ? "5m" : "2s"],
    ...["--rate", "20", "--poll-interval", "200ms", "--cancel-share", "0", ...flags],
  ],
  underWay: async (cell) => {
    if (scenario === "video") await cell.writes("tasks.jsonl", "accepted");
    await cell.writes("records.jsonl", '"outcome":"ok"');
  },
  result: (folder) => loadResult(folder),
});

function loadResult(folder: string): Result {
  if (existsSync(join(folder, "run.json"))) {
    resultOf(folder);
    return "report";
  }
  return existsSync(join(folder, "records.jsonl")) ? "records" : "nothing";
}

export const COMMANDS = {
  "load chat-stream": load("chat-stream"),
  "load video": load("video"),
  "load video, stock k6": { ...load("video"), env: () => ({ ASSAY_K6: stockK6() }) },
  "conformance --video": {
    args: ({ address, folder, isEndless, flags }) => [
      ...["conformance", "--video", "--target", address, "--out", folder, "--poll-interval", "50ms"],
      ...["--deadline", isEndless ? "10m" : "20s", ...flags],
    ],
    underWay: (cell) => cell.writes("tasks.jsonl", "accepted"),
    result: (folder) => {
      if (existsSync(join(folder, "conformance.json"))) {
        conformanceResultOf(folder);
        return "report";
      }
      return existsSync(join(folder, "verdicts.jsonl")) ? "records" : "nothing";
    },
  },
  report: {
    args: ({ recorded, folder }) => ["report", recorded, "--out", folder],
    underWay: async () => undefined,
    result: (folder) => {
      const left = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".tmp")) : [];
      if (left.length > 0) throw new Error(`Incomplete files were left: ${left}`);
      return existsSync(join(folder, "run.junit.xml")) ? loadResult(folder) : "nothing";
    },
  },
  mock: {
    args: ({ folder, flags }) => ["mock", "--timing", "instant", "--out", folder, ...flags],
    underWay: (cell) => cell.until(/ready \S+/).then(() => undefined),
    // It serves a request, unless the fault has ended it, and is ended.
    afterwards: async (cell) => {
      const url = await cell.until(/ready (\S+)/);
      if (url !== undefined) await fetch(`${url}/v1/models`).catch(() => undefined);
      cell.signal("SIGTERM");
    },
    result: (folder) =>
      existsSync(join(folder, "ledger.jsonl")) && ledgerOf(join(folder, "ledger.jsonl")).length > 0
        ? "ground truth"
        : "nothing",
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;
