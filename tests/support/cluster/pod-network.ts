/**
 * Networks of their own for the pods of a played cluster (Linux): one for what they load, and one per pod, joined by a
 * bridge. All pods listen on the same port, and nothing else is reached.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { canHavePrivateNetwork, inNetworkOf, NEW_NETWORK } from "./private-network.ts";

export interface PodNetwork {
  /** What a command begins with to run beside the pods, where the target and the operator are. */
  readonly prefix: readonly string[];
  /** Address of that place, as pods see it. */
  readonly host: string;
  readonly pods: readonly { readonly prefix: readonly string[]; readonly address: string }[];
  close(): Promise<void>;
}

const NET = "10.77.0";

/** A bridge, and for each pod a network that a process holds until the standard input ends; prints their process ids. */
const setUp = (pods: number): string => `set -e
exec 3<&0
ip link set lo up
ip link add br0 type bridge
ip addr add ${NET}.1/24 dev br0
ip link set br0 up
pids=
for pod in $(seq ${pods}); do
  unshare --net cat <&3 >/dev/null &
  pid=$!
  while [ "$(readlink /proc/$pid/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
  ip link add veth$pod type veth peer name eth0 netns $pid
  ip link set veth$pod master br0 up
  nsenter --net --target $pid sh -c "ip link set lo up && ip addr add ${NET}.$((pod + 1))/24 dev eth0 && ip link set eth0 up"
  pids="$pids $pid"
done
echo "ready$pids"
exec cat`;

/** Opens the networks; undefined, said on standard error, where the system does not let the tests have them. */
export async function openPodNetwork(pods: number): Promise<PodNetwork | undefined> {
  if (!canHavePrivateNetwork()) {
    process.stderr.write("SKIPPED: network namespaces are not available here, so all runners share one network.\n");
    return undefined;
  }
  const [unshare, ...args] = NEW_NETWORK;
  const holder: ChildProcess = spawn(unshare, [...args, "sh", "-c", setUp(pods)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line]: unknown[] = await Promise.race([
    once(holder.stdout ?? holder, "data"),
    once(holder, "exit").then(([code]) => {
      throw new Error(`Cannot open networks for pods: the script ended with ${String(code)}`);
    }),
  ]);
  const [, ...pids] = String(line).trim().split(" ").map(Number);
  return {
    prefix: inNetworkOf(holder.pid ?? 0),
    host: `${NET}.1`,
    pods: pids.map((pid, index) => ({ prefix: inNetworkOf(pid), address: `${NET}.${index + 2}` })),
    close: async () => {
      const ended = once(holder, "exit");
      holder.stdin?.end();
      await ended;
    },
  };
}
