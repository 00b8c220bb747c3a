/**
 * A network of its own for tests (Linux): only loopback, five source ports, no name server, no route anywhere. What runs in
 * it meets the faults of a machine, and disturbs nothing else.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

export const NEW_NETWORK = ["unshare", "--net", "--map-root-user"] as const;

/** Whether this system lets the tests have one. */
export const canHavePrivateNetwork = (): boolean =>
  process.platform === "linux" && spawnSync(NEW_NETWORK[0], [...NEW_NETWORK.slice(1), "true"]).status === 0;

/** What a command begins with to run in the network of a process. */
export const inNetworkOf = (pid: number): readonly string[] => [
  ...["nsenter", "--net", "--user", "--preserve-credentials", `--target=${pid}`],
];

export interface PrivateNetwork {
  /** What a command begins with to run inside. */
  readonly prefix: readonly string[];
  close(): Promise<void>;
}

/** Ports that connections may come from. */
const SOURCE_PORTS = "40000 40004";
const SET_UP = `ip link set lo up && echo "${SOURCE_PORTS}" > /proc/sys/net/ipv4/ip_local_port_range && echo ready && exec cat`;

/** Opens the network; it ends with `close`, and at the latest with this process. */
export async function openPrivateNetwork(): Promise<PrivateNetwork> {
  const [unshare, ...args] = NEW_NETWORK;
  const holder: ChildProcess = spawn(unshare, [...args, "sh", "-c", SET_UP], { stdio: ["pipe", "pipe", "inherit"] });
  if (holder.stdout === null || holder.pid === undefined)
    throw new Error("Cannot open a network: unshare did not start");
  await once(holder.stdout, "data");
  return {
    prefix: inNetworkOf(holder.pid),
    close: async () => {
      const ended = once(holder, "exit");
      holder.stdin?.end();
      await ended;
    },
  };
}
