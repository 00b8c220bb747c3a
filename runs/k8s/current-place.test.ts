import { expect, test } from "vitest";
import { currentPlace, placeInWords } from "./current-place.ts";
import type { Kubectl } from "./kubectl.ts";

/** A kubectl that prints a configuration. */
const printing =
  (configuration: unknown): Kubectl =>
  async () => ({ code: 0, stdout: JSON.stringify(configuration), stderr: "" });

const TWO = printing({
  "current-context": "here",
  contexts: [
    { name: "here", context: { cluster: "a" } },
    { name: "there", context: { cluster: "b", namespace: "team" } },
  ],
});

test.each([
  ["the current context and its namespace", {}, { context: "here", namespace: "default" }],
  ["the context that is named", { context: "there" }, { context: "there", namespace: "team" }],
  ["the namespace that is named", { context: "there", namespace: "loads" }, { context: "there", namespace: "loads" }],
])("a run goes to %s", async (_, named, place) => {
  expect(await currentPlace(TWO, named)).toEqual(place);
});

test("a context that kubectl does not have is refused, and those that it has are named", async () => {
  await expect(currentPlace(TWO, { context: "elsewhere" })).rejects.toThrow(
    /^Cannot use the context "elsewhere": .*\(it has: here, there\)\. Name one with --context\.$/,
  );
});

test("without a configuration, as in a pod, kubectl knows the place itself", async () => {
  const none = printing({ "current-context": "", contexts: null });
  expect(await currentPlace(none, { namespace: "loads" })).toEqual({ namespace: "loads" });
  expect(placeInWords(await currentPlace(none, {}))).toMatch(/service account/);
});

test("a configuration that is none is an error", async () => {
  await expect(currentPlace(printing([]), {})).rejects.toThrow(/^Cannot read the contexts of kubectl: /);
});
