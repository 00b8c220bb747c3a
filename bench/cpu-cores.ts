/**
 * Cores for the server and others for its clients, where the machine has two and `taskset`: one each, or with `--cores N` N for the
 * clients and the others for the server. Importing this file moves the benchmark, and with it every process that it starts, to the cores
 * of the clients.
 */

import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

const MOST = availableParallelism() - 1;
const { cores } = parseArgs({ options: { cores: { type: "string" } }, strict: false }).values;
if (cores !== undefined && !(Number.isInteger(Number(cores)) && Number(cores) >= 1 && Number(cores) <= MOST)) {
  throw new Error(
    `Cannot give ${cores} cores to the load generator: write --cores N, from 1 to the ${MOST} that leave one for the server.`,
  );
}

/** How many cores the load generator has, and the server. */
export const CLIENT_CORES = Number(cores ?? 1);
export const SERVER_CORES = cores === undefined ? 1 : MOST + 1 - CLIENT_CORES;

const cpuList = (first: number, count: number): string => `${first}-${first + count - 1}`;

/** Whether server and client have cores of their own. */
export const separateCores =
  MOST > 0 &&
  spawnSync("taskset", ["-a", "-cp", cpuList(SERVER_CORES, CLIENT_CORES), String(process.pid)], { stdio: "ignore" })
    .status === 0;

/** A command that runs on the server's cores from its start on. */
export const onServerCore = (...command: readonly string[]): readonly string[] =>
  separateCores ? ["taskset", "-c", cpuList(0, SERVER_CORES), ...command] : command;
