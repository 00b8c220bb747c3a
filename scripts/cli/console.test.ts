/** When results are coloured, and how progress is shown. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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

/** A stream that keeps what a terminal would show of what was written to it. */
function screenOf(columns: number) {
  let lines = [""];
  return {
    stream: {
      isTTY: true,
      columns,
      write: (text: string) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences for a terminal begin with one
        for (const part of text.split(/(\r|\n|\u001b\[[AK])/)) {
          if (part === "\n") lines.push("");
          else if (part === "\u001b[A") lines = lines.slice(0, -1);
          else if (part === "\u001b[K") lines[lines.length - 1] = "";
          else if (part !== "\r") lines[lines.length - 1] += part;
        }
        return true;
      },
    },
    shown: () => lines,
  };
}

describe("progress", () => {
  beforeEach(() => vi.stubEnv("CI", ""));
  afterEach(() => vi.unstubAllEnvs());

  test("the lines of a state take each other's place on a terminal, and leave nothing behind", () => {
    const { stream, shown } = screenOf(80);
    const progress = progressOn(false, stream);
    progress.say("before");
    progress.show(["1/s", "no errors", "3 s left"]);
    progress.show(["2/s", "no errors", "2 s left"]);
    expect(shown()).toEqual(["before", "2/s", "no errors", "2 s left"]);
    progress.say("a notice");
    progress.show("alone");
    expect(shown()).toEqual(["before", "a notice", "alone"]);
    progress.end();
    expect(shown()).toEqual(["before", "a notice", ""]);
  });

  test("a line is never wider than the terminal, since a wrapped one could not be rewritten", () => {
    const { stream, shown } = screenOf(40);
    progressOn(false, stream).show(["x".repeat(200), "a\nb"]);
    expect(shown().map(({ length }) => length)).toEqual([37, 3]);
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
