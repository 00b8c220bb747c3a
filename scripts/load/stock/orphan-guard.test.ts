/** What a stock k6 tells of after its `assay` was killed. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FILES } from "../../../formats/file-names.ts";
import { taskEvent } from "../../../formats/tasks.ts";
import { newFolder } from "../../../tests/support/assay-process.ts";

const KEY = "sk-0123456789";
const sent = (id: string, op: string) => ({ line: "sent", id, op, phase: "measure", sent: "2026-01-01T00:00:00.000Z" });
const ended = (id: string, members: object) => ({ line: "ended", id, outcome: "ok", ...members });
const BEFORE = [sent("before", "video.submit"), sent("chat", "chat")];
const AFTERWARDS = [
  ended("before", { status: 200, task: "t-before", task_state: "processing" }),
  sent("after", "video.submit"),
  ended("after", { status: 200, task: `t-${KEY}`, task_state: "processing" }),
  sent("unanswered", "video.submit"),
];

/** A k6 that logs some facts, and some more once it is asked to end. */
const K6 = `
  const write = (facts) => facts.forEach((fact) => process.stderr.write(JSON.stringify({ level: "info", msg: "mark " + JSON.stringify(fact) }) + "\\n"));
  process.once("SIGINT", () => { write(${JSON.stringify(AFTERWARDS)}); process.exit(105); });
  write(${JSON.stringify(BEFORE)});
  setInterval(() => {}, 1_000);`;

/** An \`assay\` that has read what its k6 logged first. */
const assayWith = (folder: string): string => `
  import { spawn } from "node:child_process";
  import { createInterface } from "node:readline";
  const { guard } = await import(${JSON.stringify(new URL("./orphan-guard.ts", import.meta.url).href)});
  const k6 = spawn(process.execPath, ["-e", ${JSON.stringify(K6)}], { detached: true, stdio: ["ignore", "ignore", "pipe"] });
  let lines = 0;
  createInterface({ input: k6.stderr }).on("line", () => { lines += 1; if (lines === 2) console.log("read"); });
  guard(k6.pid, k6.stderr, { folder: ${JSON.stringify(folder)}, mark: "mark", secrets: [${JSON.stringify(KEY)}] });`;

const TYPESCRIPT = new URL("../../toolchain/typescript.mjs", import.meta.url).href;

test("video tasks are journaled until it has ended, without secrets", async () => {
  const folder = newFolder();
  const assay = spawn(process.execPath, ["--import", TYPESCRIPT, "--input-type=module", "-e", assayWith(folder)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(assay.stdout, "data");
  assay.kill("SIGKILL");
  const journal = join(folder, FILES.tasks);
  const events = () =>
    existsSync(journal)
      ? readFileSync(journal, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => taskEvent.parse(JSON.parse(line)))
      : [];
  await vi.waitFor(() => expect(events()).toHaveLength(4), { timeout: 60_000 });
  expect(events()).toEqual([
    { event: "accepted", id: "before", task: "t-before" },
    { event: "submitting", id: "after" },
    { event: "accepted", id: "after", task: "t-<redacted>" },
    { event: "submitting", id: "unanswered" },
  ]);
});
