import { expect, test } from "vitest";
import { messageOf, segmentArguments } from "./k6-process.ts";

test("k6 gets its segment and the bounds of all of them", () => {
  expect(segmentArguments({ part: 2, of: 4 })).toEqual([
    "--execution-segment",
    "1/4:2/4",
    "--execution-segment-sequence",
    "0,1/4,2/4,3/4,1",
  ]);
  expect(segmentArguments({ part: 1, of: 1 })).toEqual([
    "--execution-segment",
    "0:1",
    "--execution-segment-sequence",
    "0,1",
  ]);
});

test("an error of a script is shown without where in the bundle it came from", () => {
  const line = String.raw`time="…" level=error msg="GoError: cannot start at \"x\"; wait\n\tat loadShape (file:///b.js:1:2)\n" hint="script exception"`;
  expect(messageOf(line)).toBe('cannot start at "x"; wait');
  expect(messageOf("no logfmt")).toBe("no logfmt");
});
