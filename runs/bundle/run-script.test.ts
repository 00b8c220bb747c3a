import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shellWord } from "../../lib/text.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { runScript } from "./run-script.ts";

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

describe("the script of a load with keys and headers", () => {
  const folder = newFolder();
  const script = join(folder, "run.sh");
  const secretVariables = ["ASSAY_API_KEY", "TA", "TEAM_TOKEN"];
  writeFileSync(script, runScript({ files: [], secretVariables, keyFrom: "ASSAY_API_KEY" }, "A load."));
  /** Runs it with a program in the place of k6. */
  const run = (env: Record<string, string>, results = "results") =>
    spawnSync("sh", [script, results], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", K6: "echo", ...env },
    });

  test.each([
    ["no key at all", { TA: "a", TEAM_TOKEN: "t" }, "ASSAY_API_KEY is not set. Set it to the API key of the target"],
    ["an empty key", { ASSAY_API_KEY: "", TA: "a", TEAM_TOKEN: "t" }, "ASSAY_API_KEY is not set"],
    ["no key of a workload", { ASSAY_API_KEY: "k", TEAM_TOKEN: "t" }, "TA is not set"],
    ["no value of a header", { ASSAY_API_KEYS: "k,l", TA: "a" }, "TEAM_TOKEN is not set"],
  ])("starts no k6 and makes no folder where there is %s", (_, env, reason) => {
    const { status, stderr, stdout } = run(env, "none");
    expect(stderr).toContain(`Cannot run the load: ${reason}`);
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  test("gives k6 the key of another variable, and no other", () => {
    const named = { files: [], secretVariables: ["ASSAY_API_KEY"], keyFrom: "TEAM_KEY" };
    const other = join(folder, "named.sh");
    writeFileSync(other, runScript(named, "A load."));
    writeFileSync(join(folder, "k6"), '#!/bin/sh\necho "$ASSAY_API_KEY,$ASSAY_API_KEYS"\n', { mode: 0o755 });
    const start = (env: Record<string, string>) =>
      spawnSync("sh", [other, "named"], {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: "/usr/bin:/bin", K6: "./k6", ...env },
      });
    expect(start({ ASSAY_API_KEY: "k", ASSAY_API_KEYS: "l" })).toMatchObject({ status: 3, stdout: "" });
    expect(start({ TEAM_KEY: "t", ASSAY_API_KEYS: "l" })).toMatchObject({ status: 0, stdout: "t,\n" });
  });

  test.each(["ASSAY_API_KEY", "ASSAY_API_KEYS"])("starts k6 with all of them, and the common key in %s", (name) => {
    const { status, stdout, stderr } = run({ [name]: "k", TA: "a", TEAM_TOKEN: "t" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^run .*--out assay=.*results bundle\.js$/m);
  });
});
