/** What failed on the load generator's own machine, in words, and what to do about it. */

import type { ClientFault } from "../../../formats/outcomes.ts";
import { formatNumber, plural } from "../../numbers.ts";

interface Words {
  /** What was lacking. */
  readonly lacked: string;
  readonly advice: string;
}

const WORDS: Readonly<Record<ClientFault, Words>> = {
  open_files: {
    lacked: "no file descriptor was free",
    advice:
      "raise the limit of open files (ulimit -n, or that of the service or container), or lower --max-in-flight or --vus",
  },
  source_ports: {
    lacked: "no source port was free",
    advice:
      "lower the rate or --max-in-flight, widen the range of source ports (net.ipv4.ip_local_port_range), or split the load over more machines",
  },
  memory: {
    lacked: "there was no memory for the connection",
    advice: "give the machine more memory for sockets (net.ipv4.tcp_mem), or lower --max-in-flight or --vus",
  },
  name_resolution: {
    lacked: "the name of the host was not resolved",
    advice: "check the name, and the DNS resolver that the machine uses",
  },
  route: {
    lacked: "there was no route to the target",
    advice:
      "check the network and the firewall of the machine; a router on the way may also report that the target cannot be reached",
  },
  proxy: {
    lacked: "the proxy of the environment did not pass them on to the target",
    advice:
      "check the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy permits; assay doctor --target URL shows the route",
  },
};

/** What to do about a fault. */
export const adviceOn = (fault: ClientFault): string => WORDS[fault].advice;

/** Requests that failed for each reason. */
export type FaultCounts = ReadonlyMap<ClientFault, number>;

/**
 * One sentence per fault: `12 of 640 requests failed on the load generator's machine: no source port was free; lower …`.
 * @param requests those that were sent in the same time
 */
export const faultSentences = (counts: FaultCounts, requests: number): string[] =>
  [...counts].map(
    ([fault, count]) =>
      `${formatNumber(count)} of ${plural(requests, "request")} failed on the load generator's machine, not at the target: ${WORDS[fault].lacked}; ${WORDS[fault].advice}`,
  );
