/**
 * Runs the Go tests, with the race detector if there is a C compiler, which it needs.
 * `--build`: compiles what they need and runs none, so that the tests begin at once afterwards.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { notify } from "./cli/console.mjs";

const MODULES = ["scenarios/extension", "bench/streams"];

/** Tests that may wait at the same time; most of them wait for silence or for a limit. */
const PARALLEL = "8";

const compiler = spawnSync("go", ["env", "CC"], { encoding: "utf8" }).stdout?.trim() || "cc";
const race = spawnSync(compiler, ["--version"], { stdio: "ignore" }).status === 0;

const only = process.argv.includes("--build");
/** `go list -export` compiles the packages and their tests. `go test -run '^$'` would link k6 several times, for nothing. */
const command = only
  ? ["list", "-export", "-test", "-deps", "-f", '{{""}}']
  : ["test", "-vet=off", "-parallel", PARALLEL];

const what = only ? "Building the Go tests" : "Go tests";
notify(race ? `${what}, with the race detector` : `${what}, without the race detector: no C compiler (${compiler})`);
for (const module of MODULES) {
  const { status, error } = spawnSync("go", [...command, "-trimpath", ...(race ? ["-race"] : []), "./..."], {
    cwd: fileURLToPath(new URL(`../${module}`, import.meta.url)),
    stdio: "inherit",
    env: { ...process.env, CGO_ENABLED: race ? "1" : "0" },
  });
  if (error) notify(`Cannot run the Go tests: ${error.message}. Install Go 1.26 or newer.`);
  if (error || status !== 0) process.exitCode = error ? 3 : (status ?? 1);
}
