import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable } from "./printable.mjs";

/** What a CI system would take for a command, and where it looks for it. */
const COMMAND = /##(?:vso|teamcity)?\[|^\s*::|::[a-z][\w-]*(?: [^\n]*)?::/im;
const CONTROL = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/u;

describe("commands of CI systems", () => {
  test.each([
    ["##vso[task.setvariable variable=a]b", "# #vso[task.setvariable variable=a]b"],
    ["Reason: ##VSO[task.complete]", "Reason: # #VSO[task.complete]"],
    ["##[error]x", "# #[error]x"],
    ["##teamcity[x]", "# #teamcity[x]"],
    ["::error file=a,line=1::x", ": :error file=a,line=1::x"],
    [" \t::stop-commands::x", " \t: :stop-commands::x"],
    ["chat FAIL ::set-output name=a::b", "chat FAIL : :set-output name=a::b"],
    ["one\n::add-mask::x", "one\n: :add-mask::x"],
  ])("%j is broken up", (text, expected) => expect(printable(text)).toBe(expected));

  test.each(["http://[::1]:8080/v1", "http://[fe80::1]/", "a: b", "## Heading", "std::vector", "12:30:00"])(
    "%j stays as it is",
    (text) => expect(printable(text)).toBe(text),
  );
});

test("controls become visible, line feeds and tabs stay", () => {
  expect(printable("a\r\u001b[31mb\u0007\u202ec\n\td")).toBe("a\ufffd\ufffd[31mb\ufffd\ufffdc\n\td");
});

test("on a terminal, colours stay and every other sequence is broken", () => {
  expect(printable("\u001b[31mred\u001b[39m\u001b[2J\u001b]0;t\u0007", true)).toBe(
    "\u001b[31mred\u001b[39m\ufffd[2J\ufffd]0;t\ufffd",
  );
  expect(printable("\u001b[31m::error::x", true)).toBe("\u001b[31m: :error::x");
});

test("any text has no command and no control left, and is left alone the second time", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("##", "vso[", "[", "::", ":", "error", " ", "\n", "\r", "\u001b[", "31m", "\u202e", "teamcity["),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const printed = printable(parts.join(""));
      expect(printed).not.toMatch(COMMAND);
      expect(printed).not.toMatch(CONTROL);
      expect(printable(printed)).toBe(printed);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});
