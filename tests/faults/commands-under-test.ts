/** The columns of the fault matrix: how each command is started, when it is under way, and what it leaves. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PATHS } from "../../contract/service.ts";
import { FILES } from "../../formats/file-names.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { readSearch } from "../../runs/search/search-folder.ts";
import { videoFlags } from "../support/commands/load-to-end.ts";
import { conformanceResultOf, ledgerOf, resultOf } from "../support/results/read-results.ts";
import type { Cell, Command, Result } from "./cell.ts";

const LOAD = [
  ...["--warmup", "0", "--set", "drain=1s", "--set", "timeout=10s", "--set", "stall=1s"],
  ...["--rate", "20", "--set", "no-default-slos", "--slo", "ok>=20"],
];

const load = (scenario: string): Command => ({
  hasLongTasks: scenario === "video",
  args: ({ address, folder, isEndless, flags }) => [
    ...["load", scenario, "--target", address, "--out", folder, ...LOAD, "--duration", isEndless ? "5m" : "2s"],
    ...videoFlags(scenario, "--poll-interval", "200ms", "--set", "cancel-share=0"),
    ...flags,
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

/** Of a command that checks: its reports, or the verdicts of which `assay report` makes them. */
function conformanceResult(folder: string): Result {
  if (existsSync(join(folder, "conformance.json"))) {
    conformanceResultOf(folder);
    return "report";
  }
  return existsSync(join(folder, "verdicts.jsonl")) ? "records" : "nothing";
}

/** Of a command that writes reports of what was recorded before: all of them, none of them incomplete. */
const reportsIn =
  (last: string, read: (folder: string) => Result) =>
  (folder: string): Result => {
    const left = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".tmp")) : [];
    if (left.length > 0) throw new Error(`Incomplete files were left: ${left}`);
    return existsSync(join(folder, last)) ? read(folder) : "nothing";
  };

/** What a client of the proxy waits for, which a target may never send. */
const CLIENT_MS = 2_000;

/** Sends a chat through a proxy, whose target may do anything. */
async function sendThrough(url: string): Promise<void> {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] });
  const headers = { "content-type": "application/json", authorization: "Bearer k" };
  const signal = AbortSignal.timeout(CLIENT_MS);
  await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body, signal })
    .then((response) => response.text())
    .catch(() => undefined);
}

/** Of a command that writes a load to be run elsewhere. */
const loadIn = (last: string) => reportsIn(last, () => "load");

/** Of a search. */
function searchResultIn(folder: string): Result {
  if (existsSync(join(folder, "search.html"))) {
    readSearch(folder);
    return "report";
  }
  return existsSync(join(folder, "run-01", FILES.records)) ? "records" : "nothing";
}

const submitted = z.object({ id: z.string() });

/** A folder of a run that was killed, whose video task is still open. */
async function leaveOpenTask({ folder, mock }: Cell): Promise<void> {
  const response = await fetch(mock + PATHS.videos, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer k" },
    body: JSON.stringify({ model: "m", prompt: "p" }),
  });
  const { id: task } = submitted.parse(await response.json());
  const events: readonly TaskEvent[] = [
    { event: "submitting", id: "s-1" },
    { event: "accepted", id: "s-1", task },
  ];
  mkdirSync(folder);
  writeFileSync(join(folder, FILES.tasks), events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

const readyUrl = (cell: Cell): Promise<string | undefined> => cell.until(/ready (\S+)/);

export const COMMANDS = {
  "load chat-stream": load("chat-stream"),
  "load video": load("video"),
  "conformance --video": {
    args: ({ address, folder, isEndless, flags }) => [
      ...["conformance", "--video", "--target", address, "--out", folder, "--poll-interval", "50ms"],
      ...["--deadline", isEndless ? "10m" : "20s", ...flags],
    ],
    underWay: (cell) => cell.writes("tasks.jsonl", "accepted"),
    result: conformanceResult,
  },
  proxy: {
    args: ({ address, folder, flags }) => ["proxy", "--target", address, "--port", "0", "--out", folder, ...flags],
    underWay: async (cell) => {
      const url = await readyUrl(cell);
      if (url === undefined) return;
      await sendThrough(url);
      await cell.writes("exchanges.jsonl", "/v1/chat/completions");
    },
    // It passes on what a client sends, unless the fault has ended it, and is ended.
    afterwards: async (cell) => {
      const url = await readyUrl(cell);
      if (url !== undefined) await sendThrough(url);
      cell.signal("SIGTERM");
    },
    result: conformanceResult,
  },
  demo: {
    isLong: true,
    args: ({ folder }) => ["demo", "--out", folder],
    underWay: (cell) => cell.writes("chat-stream/records.jsonl", '"outcome":"ok"'),
    result: (folder) => {
      if (existsSync(join(folder, "index.html"))) return "report";
      return conformanceResult(join(folder, "conformance")) === "nothing" ? "nothing" : "records";
    },
  },
  calibrate: {
    args: ({ folder }) => ["calibrate", "--streams", "3", "--out", folder],
    env: async ({ parent }) => ({ XDG_STATE_HOME: parent }),
    underWay: (cell) => cell.writes("3/records.jsonl", '"outcome":"ok"'),
    result: (folder) => {
      if (existsSync(join(folder, "calibration.json"))) return "report";
      return existsSync(join(folder, "3", "records.jsonl")) ? "records" : "nothing";
    },
  },
  search: {
    args: ({ address, folder, isEndless, flags }) => [
      ...["search", "chat-stream", "--target", address, "--out", folder, ...LOAD, "--max", "20"],
      ...["--duration", isEndless ? "5m" : "2s", "--probe-duration", isEndless ? "5m" : "2s", ...flags],
    ],
    underWay: (cell) => cell.writes(`run-01/${FILES.records}`, '"outcome":"ok"'),
    result: searchResultIn,
  },
  report: {
    args: ({ recorded, folder }) => ["report", recorded.load, "--out", folder],
    underWay: async () => undefined,
    result: reportsIn("run.junit.xml", loadResult),
  },
  replay: {
    args: ({ recorded, folder }) => ["replay", recorded.conformance, "--out", folder],
    underWay: async () => undefined,
    result: reportsIn("conformance.junit.xml", conformanceResult),
  },
  compare: {
    args: ({ recorded, folder }) => ["compare", recorded.load, recorded.sameLoad, "--out", folder],
    underWay: async () => undefined,
    result: reportsIn("compare.junit.xml", () => "report"),
  },
  history: {
    args: ({ recorded, folder }) => ["history", recorded.history, "--out", folder],
    underWay: async () => undefined,
    result: reportsIn("history.html", () => "report"),
  },
  bundle: {
    args: ({ address, folder, flags }) => ["bundle", "chat-stream", "--target", address, "--out", folder, ...flags],
    underWay: async () => undefined,
    result: loadIn("run.sh"),
  },
  k8s: {
    args: ({ address, folder, flags }) => [
      ...["k8s", "chat-stream", "--target", address, "--runners", "2", "--image", "runner:1", "--key-secret", "key"],
      ...["--out", folder, ...flags],
    ],
    underWay: async () => undefined,
    result: loadIn("kustomization.yaml"),
  },
  "clean-up": {
    hasLongTasks: true,
    given: async (cell) => {
      await leaveOpenTask(cell);
      if (cell.isEndless) await cell.target.become("hangs");
    },
    args: ({ address, folder, flags }) => ["clean-up", folder, "--target", address, ...flags],
    underWay: async (cell) => {
      if (cell.isEndless) await cell.until(/Cancelling/);
    },
    result: () => "nothing",
  },
  doctor: {
    args: () => ["doctor"],
    underWay: async () => undefined,
    result: () => "nothing",
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
