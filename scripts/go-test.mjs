/** Runs the Go tests; with `--race` under the race detector, which needs a C compiler and compiles all of k6 once more. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { notify } from "../cli/console.mjs";

const MODULES = ["extension", "bench/streams"];

/** Tests that may wait at the same time; most of them wait for silence or for a limit. */
const PARALLEL = "8";

/** For a package, on a machine that is busy with other work too. */
const LONGEST = "30m";

const race = process.argv.includes("--race");

for (const module of MODULES) {
  const args = [
    "test",
    "-vet=off",
    "-timeout",
    LONGEST,
    "-parallel",
    PARALLEL,
    "-trimpath",
    // Without inlining, Go compiles all of k6 in a fifth less time.
    ...(race ? ["-race", "-gcflags=all=-l"] : []),
    "./...",
  ];
  const { status, error } = spawnSync("go", args, {
    cwd: fileURLToPath(new URL(`../${module}`, import.meta.url)),
    stdio: "inherit",
    env: { ...process.env, CGO_ENABLED: race ? "1" : "0" },
  });
  if (error)
    notify(`Cannot run the Go tests: ${error.message}. Install Go 1.26 or newer${race ? ", and a C compiler" : ""}.`);
  if (error || status !== 0) process.exitCode = error ? 3 : (status ?? 1);
}
