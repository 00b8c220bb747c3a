/** When results are coloured, and how progress is shown. */

import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { screenOf } from "../tests/support/commands/terminal-screen.ts";
import { coloured, progressOn } from "./console.mjs";

test.each([
  ["a terminal", {}, true, true],
  ["a pipe", {}, false, false],
  ["a terminal with NO_COLOR", { NO_COLOR: "1" }, true, false],
  ["a terminal in CI", { CI: "true" }, true, false],
  ["a pipe with FORCE_COLOR", { FORCE_COLOR: "1", CI: "true" }, false, true],
  ["a terminal with FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
])("%s", (_, env, isTTY, colours) => {
  expect(coloured(env, { isTTY })).toBe(colours);
});

/** A terminal that keeps what is written to it. */
function terminalOf(columns: number, rows = 24) {
  const writes: string[] = [];
  const size = { isTTY: true, columns, rows };
  const stream = Object.assign(new EventEmitter(), size, { write: (text: string) => writes.push(text) > 0 });
  return { stream, writes, shown: () => screenOf(writes.join("")).rows };
}

describe("progress", () => {
  beforeEach(() => {
    for (const name of ["CI", "NO_COLOR", "FORCE_COLOR"]) vi.stubEnv(name, "");
    vi.stubEnv("TERM", "xterm");
  });
  afterEach(() => vi.unstubAllEnvs());

  test("the lines of a state take each other's place on a terminal, and leave nothing behind", () => {
    const { stream, shown } = terminalOf(80);
    const progress = progressOn(false, stream);
    progress.say("before");
    progress.show(["1/s", "no errors", "3 s left"]);
    progress.show(["2/s", "no errors", "2 s left"]);
    expect(shown()).toEqual(["before", "2/s", "no errors", "2 s left"]);
    progress.say("a notice");
    progress.show("alone");
    expect(shown()).toEqual(["before", "a notice", "alone"]);
    progress.say("another");
    expect(shown()).toEqual(["before", "a notice", "another", "alone"]);
    progress.end();
    expect(shown()).toEqual(["before", "a notice", "another", ""]);
  });

  test("a line is never wider than the terminal, since a wrapped one could not be rewritten", () => {
    const { stream, shown } = terminalOf(40);
    progressOn(false, stream).show(["x".repeat(200), "a\nb", "漢".repeat(40), `\u001b[31m${"y".repeat(39)}\u001b[39m`]);
    expect(shown().map(({ length }) => length)).toEqual([39, 3, 20, 39]);
  });

  test("a state is drawn by one write, and anew when the terminal changes its size, as high as it allows", () => {
    const { stream, writes, shown } = terminalOf(80, 4);
    const progress = progressOn(false, stream);
    progress.show("plain", ({ columns, rows }) => [`${columns}`, `${rows}`, "3", "4", "5"]);
    expect([writes.length, ...shown()]).toEqual([1, "79", "3", "3"]);
    Object.assign(stream, { columns: 40, rows: 3 });
    stream.emit("resize");
    expect([writes.length, ...shown()]).toEqual([2, "39", "2"]);
    progress.end();
    stream.emit("resize");
    expect([writes.length, ...shown()]).toEqual([3, ""]);
  });

  test("what another writes meanwhile stays readable", () => {
    const { stream, writes, shown } = terminalOf(80);
    const progress = progressOn(false, stream);
    progress.show("state", () => ["one", "two"]);
    writes.push("(node:1) Warning: of another\n");
    progress.show("state", () => ["three", "four"]);
    expect(shown()).toEqual(["(node:1) Warning: of another", "three", "four"]);
    progress.end();
  });

  test("the last lines of a state that stays are left, below what was said", () => {
    const { stream, shown } = terminalOf(80);
    const progress = progressOn(false, stream, true);
    progress.show("state", () => ["one", "two"]);
    progress.say("a warning");
    progress.end();
    progress.show("passing");
    progress.end();
    expect(shown()).toEqual(["a warning", "one", "two", "", ""]);
  });

  test("a terminal that can do nothing gets lines without any sequence", () => {
    vi.stubEnv("TERM", "dumb");
    const { stream, writes } = terminalOf(80);
    const progress = progressOn(false, stream);
    progress.show(["2/s", "no errors"], () => ["a frame"]);
    progress.say("\u001b[31ma notice\u001b[39m");
    progress.end();
    expect(writes).toEqual(["2/s; no errors\n", "�[31ma notice�[39m\n"]);
  });

  test("elsewhere a state is one line", () => {
    let text = "";
    const write = (more: string): boolean => {
      text += more;
      return true;
    };
    progressOn(false, { isTTY: false, columns: 80, write }).show(["2/s", "no errors"]);
    expect(text).toBe("2/s; no errors\n");
  });
});
