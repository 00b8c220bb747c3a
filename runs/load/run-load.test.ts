import { expect, test } from "vitest";
import { withoutKeysInLabels } from "./run-load.ts";

test("a key in a name or a tag is taken out before a load is written for k6, which may be killed before it ends", () => {
  const redact = (text: string): string => text.replaceAll("a-key", "<redacted>");
  const settings = { name: "run of a-key", tag: { team: "a-key", branch: "main" }, chatModel: "a-key" };
  expect(withoutKeysInLabels(settings, redact)).toEqual({
    name: "run of <redacted>",
    tag: { team: "<redacted>", branch: "main" },
    chatModel: "a-key",
  });
  expect(withoutKeysInLabels({}, redact)).toEqual({});
});
