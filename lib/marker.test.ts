import { expect, test } from "vitest";
import { MARKER, markerOf, withMarker } from "./marker.ts";

test("a marker is as the extension and the mock look for it", () => {
  for (const bits of [0, 0xab, 0xffffffff]) expect(markerOf(bits)).toMatch(new RegExp(`^${MARKER.source}$`));
});

test.each([
  ['[{"role":"system","content":"s"},{"role":"user","content":"hi"}]', "hi Begin your response with assay-000000ab."],
  ['[{"content":"a","role":"user","more":1}]', "Begin your response with assay-000000ab."],
])("the last of %s asks for it", (messages, content) => {
  const marked: readonly unknown[] = JSON.parse(withMarker(messages, markerOf(0xab)));
  expect(marked.at(-1)).toEqual({ role: "user", content });
});
