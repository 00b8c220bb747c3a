/**
 * The process that passes traffic on, and does and loads nothing else: what is in its memory is what garbage collection must
 * look at while chunks wait. It ends when `assay` tells it to, or is gone; signals for both are for `assay` to answer.
 */

import { once } from "node:events";
import { SIGNALS } from "../../cli/interrupt.ts";
import { HeldBytes } from "../../proxy/held-bytes.ts";
import type { TlsOptions } from "../../proxy/http1-target.ts";
import { targetFor } from "../../proxy/negotiate.ts";
import { type RunningProxy, startProxy } from "../../proxy/proxy-server.ts";
import type { OpenTap } from "../../proxy/tap.ts";
import { lookupOf } from "../../route/route.ts";
import { listenError } from "../../settings/listen-error.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { type Courier, startCourier } from "./exchange-courier.ts";
import type { FromForwarding, Route, ToForwarding } from "./forwarding-messages.ts";

/** How often `assay` gets to know how much has passed. */
const COUNT_EVERY_MS = 200;

for (const signal of SIGNALS) process.on(signal, () => undefined);
process.once("disconnect", () => process.exit());

/** What was thrown outside of all exchanges, first: the traffic goes on, and the run ends with it. */
let fault: string | undefined;
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (thrown: unknown) => {
    fault ??= reasonOf(thrown);
  });
}

const tell = (message: FromForwarding): void => void process.send?.(message);
const tellLast = (message: FromForwarding): void => void process.send?.(message, () => process.disconnect());

/** @returns why it ends */
async function passOn({ route, check }: Extract<ToForwarding, { kind: "begin" }>): Promise<FromForwarding> {
  const held = new HeldBytes();
  const target = await targetFor(route.target, tlsOf(route), held).catch(reasonOf);
  if (typeof target === "string") return { kind: "unreachable", reason: target };
  const { host, port, target: address } = route;
  let begin = (_: OpenTap): void => undefined;
  const tap = new Promise<OpenTap>((resolve) => {
    begin = resolve;
  });
  // Before any file is there: a run that cannot listen leaves nothing.
  const proxy = await startProxy({ host, port, address, target, tap }).catch((error: unknown) =>
    reasonOf(listenError("listen", route, error)),
  );
  if (typeof proxy === "string") return { kind: "cannot listen", reason: proxy };
  const courier = await startCourier(check, held, tell);
  begin(courier.tap);
  await untilStopped(proxy, courier);
  await courier.end();
  if (fault === undefined) return { kind: "ended" };
  const reason = `The proxy failed internally: ${fault}. The traffic continued, but an exchange may be missing. The verdicts are saved in ${check.folder}. Start the proxy again to check the rest.`;
  return { kind: "cannot check", reason };
}

const tlsOf = ({ ca, client, addresses, insecure }: Route): TlsOptions => ({
  ...lookupOf({ addresses }),
  ...(client && { cert: client.cert, key: client.key }),
  ...(insecure && { rejectUnauthorized: false }),
  ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
});

/** Passes traffic on until it is to stop, or what checks it has ended. */
async function untilStopped(proxy: RunningProxy, courier: Courier): Promise<void> {
  tell({ kind: "listening", port: proxy.port });
  const counting = setInterval(
    () => tell({ kind: "counts", taken: courier.taken(), open: proxy.open() }),
    COUNT_EVERY_MS,
  );
  const toStop = new Promise<void>((resolve) => {
    process.on("message", ({ kind }: ToForwarding) => {
      if (kind === "kill") proxy.kill();
      else if (kind === "stop") {
        tell({ kind: "stopping", open: proxy.open() });
        resolve();
      }
    });
  });
  await Promise.race([toStop, courier.over.then(() => proxy.kill())]);
  await proxy.stop();
  proxy.kill();
  clearInterval(counting);
}

const [begin]: ToForwarding[] = await once(process, "message");
if (begin?.kind !== "begin") throw new Error(`The first message was ${begin?.kind}, not "begin".`);
tellLast(await passOn(begin).catch((error: unknown) => ({ kind: "cannot check", reason: reasonOf(error) }) as const));
