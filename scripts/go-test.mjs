/** Runs the Go tests, with the race detector if there is a C compiler, which it needs. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { notify } from "./cli/console.mjs";

const MODULES = ["scenarios/extension", "bench/streams"];

/** Tests that may wait at the same time; most of them wait for silence or for a limit. */
const PARALLEL = "8";

/** For a package, on a machine that is busy with other work too. */
const LONGEST = "30m";

const compiler = spawnSync("go", ["env", "CC"], { encoding: "utf8" }).stdout?.trim() || "cc";
const race = spawnSync(compiler, ["--version"], { stdio: "ignore" }).status === 0;

notify(race ? "Go tests, with the race detector" : `Go tests, without the race detector: no C compiler (${compiler})`);
for (const module of MODULES) {
  const args = [
    "test",
    "-vet=off",
    "-timeout",
    LONGEST,
    "-parallel",
    PARALLEL,
    "-trimpath",
    ...(race ? ["-race"] : []),
    "./...",
  ];
  const { status, error } = spawnSync("go", args, {
    cwd: fileURLToPath(new URL(`../${module}`, import.meta.url)),
    stdio: "inherit",
    env: { ...process.env, CGO_ENABLED: race ? "1" : "0" },
  });
  if (error) notify(`Cannot run the Go tests: ${error.message}. Install Go 1.26 or newer.`);
  if (error || status !== 0) process.exitCode = error ? 3 : (status ?? 1);
}
