/** A terminal that Assay shows its progress on: lines fit it, and it is as it was before, whatever ends the command. */

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../support/commands/assay-process.ts";
import { endless } from "../../support/commands/load-to-end.ts";
import { processesNaming } from "../../support/commands/running-processes.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";
import {
  canHaveTerminal,
  linesLeft,
  otherSequences,
  rewrittenLines,
  startInTerminal,
  type TerminalRun,
} from "./assay-terminal.ts";

const CTRL_C = "\x03";
/** What a terminal has once nothing is typed without being seen, and lines are edited. */
const USUAL = [/(?<!-)\bicanon\b/, /(?<!-)\becho\b/, /(?<!-)\bisig\b/, /(?<!-)\bonlcr\b/];
/** A passing state: of a load, of a conformance run, of a proxy, of a build. */
const PASSING = /^\d\S* in flight|started, \d|^no errors|\d s left|clauses checked|forwarded|Building k6/;

let mock: MockProcess;
beforeAll(async () => {
  mock = await startMockProcess("--ttft", "20ms", "--itl", "20ms", "--work", "10m");
});

const loadOn = (columns: number, folder: string): TerminalRun =>
  startInTerminal(["load", "chat-stream", "--target", mock.url, "--out", folder, ...endless("chat-stream")], columns);

const shows = (run: TerminalRun, pattern: RegExp): Promise<void> =>
  expect.poll(() => [...rewrittenLines(run.written()), ...linesLeft(run.written())].join("\n")).toMatch(pattern);

/** Checks what a terminal is left with by a command that could end by itself. @returns its exit code */
async function expectSound(run: TerminalRun): Promise<number> {
  const { code, before, after } = await run.ended;
  expect(after).toBe(before);
  for (const setting of USUAL) expect(after).toMatch(setting);
  expect(otherSequences(run.written())).toEqual([]);
  const lines = linesLeft(run.written());
  expect(lines.at(-1), "the cursor is at the beginning of an empty line").toBe("");
  expect(lines.filter((line) => PASSING.test(line))).toEqual([]);
  return code;
}

describe.skipIf(!canHaveTerminal())("a terminal", () => {
  test.each([
    ["of 80 columns", 80, 80, "Ctrl-C"],
    ["of 40 columns", 40, 40, "Ctrl-C"],
    ["of 8 columns", 8, 8, "SIGTERM"],
    ["that tells no width", 0, 80, "SIGHUP"],
  ] as const)(
    "%s shows a load on lines that fit it, and is as before after an interrupt",
    async (_, columns, width, how) => {
      const folder = newFolder();
      const run = loadOn(columns, folder);
      await shows(run, /[1-9] s o/);
      if (how === "Ctrl-C") run.type(CTRL_C);
      else run.kill(how);
      expect(await expectSound(run)).toBe(2);
      const shown = rewrittenLines(run.written());
      const longest = Math.max(...shown.map((line) => line.length));
      expect(longest).toBeLessThan(width);
      expect(longest).toBeGreaterThan(Math.min(width, 50) - 5);
      const left = linesLeft(run.written()).join("\n");
      // The last state, without what the terminal showed of the key, is above the report.
      expect(left).toMatch(/^Stopping.*^ended .*^arriv.*^INCONCLUSIVE/ms);
      expect(left).not.toContain("^C");
      expect(processesNaming(folder)).toEqual([]);
    },
  );

  test("that becomes narrower gets shorter lines", async () => {
    const run = loadOn(80, newFolder());
    await shows(run, /^in flight .{69}$/m);
    run.resize(50);
    await shows(run, /^in flight .{39}$/m);
    run.kill("SIGTERM");
    await run.ended;
  });

  test("has its settings and its cursor after SIGKILL of a load: they were never changed", async () => {
    const folder = newFolder();
    const run = loadOn(80, folder);
    await shows(run, /TTFT p50/);
    run.kill("SIGKILL");
    const { code, before, after } = await run.ended;
    expect(code).toBe(128 + 9);
    expect(after).toBe(before);
    expect(otherSequences(run.written())).toEqual([]);
    await expect.poll(() => processesNaming(folder)).toEqual([]);
  });

  test("is as before after Ctrl-C of a conformance run, whose verdicts are on lines of their own", async () => {
    const flags = ["--target", mock.url, "--video", "--poll-interval", "1s", "--out", newFolder()];
    const run = startInTerminal(["conformance", ...flags], 40, { ASSAY_API_KEY: "k" });
    await shows(run, /clauses checked/);
    run.type(CTRL_C);
    expect(await expectSound(run)).toBe(2);
    for (const line of rewrittenLines(run.written())) expect(line.length).toBeLessThan(40);
  });

  test("is as before after Ctrl-C of a proxy", async () => {
    const run = startInTerminal(["proxy", "--target", mock.url, "--out", newFolder()], 40);
    const address = /ready (http:\/\/\S+)/;
    await expect.poll(run.written).toMatch(address);
    await fetch(`${address.exec(run.written())?.[1]}/v1/models`);
    await shows(run, /forwarded/);
    run.type(CTRL_C);
    await expectSound(run);
  });

  test("is as before after Ctrl-C while k6 is built, and what is said is on a line of its own", async () => {
    const bin = newFolder();
    const building = join(bin, "building");
    const go = `#!/bin/sh\n[ "$1" != build ] && { echo go version go1.99 linux/amd64; exit; }\nmkfifo '${bin}/fifo'; touch '${building}'; cat <'${bin}/fifo'\n`;
    writeFileSync(join(bin, "go"), go);
    chmodSync(join(bin, "go"), 0o755);
    const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}`, XDG_CACHE_HOME: newFolder(), ASSAY_K6: "" };
    const run = startInTerminal(
      ["load", "chat", "--target", mock.url, "--out", join(bin, "out"), ...endless("chat")],
      80,
      env,
    );
    await shows(run, /Building k6/);
    await expect.poll(() => existsSync(building)).toBe(true);
    run.type(CTRL_C);
    expect(await expectSound(run)).toBe(2);
    expect(linesLeft(run.written())).toContain("Interrupted before the end.");
  });
});

test.skipIf(!canHaveTerminal())("Ctrl-C of a gate is one interrupt of its load, not two", async () => {
  const load = ["ci", "run", `load chat-stream`, "--target", mock.url, "--out", join(newFolder(), "gate")];
  const run = startInTerminal([...load, "--args", endless("chat-stream").join(" ")], 80);
  await shows(run, /TTFT p50/);
  run.type(CTRL_C);
  await expectSound(run);
  const said = linesLeft(run.written()).join("\n");
  expect(said).toContain("Stopping: requests in flight are cancelled");
  expect(said).not.toContain("Stopping at once");
});
