/**
 * One core for the server and one for its clients, where the machine has two and `taskset`. Importing this file moves the
 * benchmark, and with it every process that it starts, to the core of the clients.
 */

import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const [SERVER_CORE, CLIENT_CORE] = [0, 1];

/** Whether server and client have a core each. */
export const separateCores =
  availableParallelism() > 1 &&
  spawnSync("taskset", ["-a", "-cp", String(CLIENT_CORE), String(process.pid)], { stdio: "ignore" }).status === 0;

/** A command that runs on the server's core from its start on. */
export const onServerCore = (...command: readonly string[]): readonly string[] =>
  separateCores ? ["taskset", "-c", String(SERVER_CORE), ...command] : command;
