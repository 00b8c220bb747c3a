/**
 * `npm run fuzz [INPUTS]`: gives all targets 1,000,000 inputs together, prints how many each got, and fails on a finding. The
 * input of a finding in Go is kept beside its target, in testdata/fuzz; that of another is printed and written to out/fuzz.
 */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notify } from "../../cli/console.mjs";
import { GO_ENVIRONMENT } from "../../toolchain/platform-package.mjs";
import { fuzzAll, type Runnable, runnable } from "./fuzz-all.ts";
import { FUZZ_TARGETS } from "./fuzz-targets.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXTENSION = join(ROOT, "extension");
const FINDINGS = join(ROOT, "out/fuzz");
/** Relative to the weights of fuzz-targets.ts. */
const GO_WEIGHT = 10;
const JUDGES_WEIGHT = 0.05;
const JUDGES = "conformance/hostile-documents.test.ts";

/** The fuzz targets of the extension. */
const ofGo: readonly Runnable[] = readdirSync(EXTENSION, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("_test.go"))
  .flatMap((file) =>
    [...readFileSync(join(EXTENSION, file), "utf8").matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name = ""]) => ({
      name: `${name} (extension/${dirname(file)})`,
      weight: GO_WEIGHT,
      run: async (inputs: number) => {
        const fuzz = ["-run", "^$", "-fuzz", `^${name}$`, "-fuzztime", `${inputs}x`, "-timeout", "0"];
        const { status, stdout } = spawnSync("go", ["test", "-trimpath", "-vet=off", ...fuzz, `./${dirname(file)}`], {
          cwd: EXTENSION,
          env: { ...process.env, ...GO_ENVIRONMENT },
          encoding: "utf8",
          stdio: ["ignore", "pipe", "inherit"],
        });
        const tried = Number([...stdout.matchAll(/execs: (\d+)/g)].at(-1)?.[1] ?? 0);
        return status === 0 ? { tried } : { tried, finding: stdout };
      },
    })),
  );

/** All judges over a recorded run of the mock with hostile values in it, which is a unit test as well. */
const ofJudges: Runnable = {
  name: `judges and invariants (${JUDGES})`,
  weight: JUDGES_WEIGHT,
  run: async (inputs) => {
    const vitest = [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      "run",
      "--project",
      "unit",
      "--testTimeout=0",
      JUDGES,
    ];
    const { status, stdout } = spawnSync(process.execPath, vitest, {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, ASSAY_FUZZ_RUNS: String(inputs), NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return status === 0 ? { tried: inputs } : { tried: inputs, finding: stdout };
  },
};

const all = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(all) || all < 1) {
  notify(`Cannot fuzz with "${process.argv[2]}" inputs. Give a whole number, such as 1000000.`);
  process.exit(3);
}
const failed = await fuzzAll([...ofGo, ...FUZZ_TARGETS.map(runnable), ofJudges], all, FINDINGS);
if (failed > 0) process.exitCode = 1;
