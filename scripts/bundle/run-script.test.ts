import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "./run-script.ts";

const withoutNul = fc.string({ unit: "binary" }).filter((text) => !text.includes("\0") && text.isWellFormed());

test("a shell reads each word as the text that it stands for", () => {
  fc.assert(
    fc.property(fc.array(withoutNul, { minLength: 1, maxLength: 30 }), (texts) => {
      const script = `printf '%s\\0' ${texts.map(shellWord).join(" ")}`;
      expect(spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout).toBe(`${texts.join("\0")}\0`);
    }),
    { numRuns: 50 },
  );
});
