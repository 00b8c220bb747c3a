/** A run of the proxy, from its start to its report. */

import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import pc from "picocolors";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { selectPassive } from "../../conformance/engine/clause-selection.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import type { ConformanceResult } from "../../formats/conformance.ts";
import { plainLine } from "../../lib/text.ts";
import { targetFor } from "../../proxy/negotiate.ts";
import { startProxy } from "../../proxy/proxy-server.ts";
import type { Target } from "../../proxy/target.ts";
import type { SettingsFor } from "../../settings/all-settings.ts";
import type { Values } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import type { Progress } from "../cli/console.mjs";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { whileInterruptible } from "../cli/interrupt.ts";
import { conformanceResultOf, writeConformanceViews } from "../views/conformance-views.ts";
import type { CheckSettings, FromCheck } from "./check-messages.ts";
import { startCourier } from "./exchange-courier.ts";

type ProxyValues = Values<SettingsFor<"proxy">>;
/** Settings of a run whose target is known. */
export type ProxySettings = ProxyValues & { readonly target: string };

/** Violations of a clause that are printed as they come; the report counts them all. */
const MOST_PRINTED = 3;
const SHOW_MS = 200;

/**
 * Checks settings, sends nothing.
 * @throws UsageError that says what is wrong and what to do
 */
export async function checkedProxySettings(values: ProxyValues): Promise<ProxySettings> {
  const { target } = values;
  if (target === undefined) {
    throw new UsageError("No target was given. Name it with --target, such as --target http://127.0.0.1:8080.");
  }
  const clauses = await loadClauses();
  try {
    readBaseline(values.baseline, clauses);
    selectPassive(clauses, { profile: values.profile, ...(values.only !== undefined && { only: values.only }) });
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
  return { ...values, target };
}

/**
 * Passes traffic on until the user ends it, then writes the result into the folder.
 * @param ready called with the address of the proxy once it listens
 */
export async function runProxy(
  settings: ProxySettings,
  folder: string,
  progress: Progress,
  ready: (url: string) => void,
): Promise<ConformanceResult> {
  const { host, port, target: address } = settings;
  const target = await reach(settings);
  const courier = await startCourier(checkSettings(settings, folder), announcer(progress));
  const proxy = await startProxy({ host, port, address, target, tap: courier.tap }).catch(async (error: unknown) => {
    await courier.end();
    throw new UsageError(`Cannot listen on ${host}:${port}: ${reasonOf(error)}. Choose another port with --port.`);
  });
  let interrupted = (): void => undefined;
  const toStop = new Promise<void>((resolve) => {
    interrupted = resolve;
  });
  const ticker = setInterval(
    () => progress.show(`${courier.taken()} requests passed on, ${proxy.open()} on their way`),
    SHOW_MS,
  );
  await whileInterruptible(
    (urgency) => {
      interrupted();
      if (urgency === "now") proxy.kill();
      else if (proxy.open() > 0) {
        progress.say(`Stopping: waiting for ${proxy.open()} requests on their way. Press Ctrl-C again to end them.`);
      }
    },
    async () => {
      ready(`http://${host.includes(":") ? `[${host}]` : host}:${proxy.port}`);
      await toStop;
      await proxy.stop();
      proxy.kill();
    },
  );
  clearInterval(ticker);
  progress.end();
  await courier.end();
  const result = await conformanceResultOf(folder);
  await writeConformanceViews(folder, result);
  return result;
}

async function reach({ target, caFile, insecure }: ProxySettings): Promise<Target> {
  try {
    return await targetFor(target, {
      ...(insecure && { rejectUnauthorized: false }),
      ...(caFile !== undefined && { ca: [...rootCertificates, readFileSync(caFile, "utf8")] }),
    });
  } catch (error) {
    throw new InconclusiveError(
      `Cannot reach ${target}: ${reasonOf(error)}. Check the address, and trust its certificate with --ca-file.`,
    );
  }
}

function checkSettings(
  { profile, only, baseline, redactBodies = false, ...settings }: ProxySettings,
  folder: string,
): CheckSettings {
  const { target } = settings;
  return {
    folder,
    target,
    settings: { ...settings, profile, only, redactBodies },
    profile,
    only,
    baseline,
    redactBodies,
  };
}

/** Prints what the checking thread finds, the first violations of each clause. */
function announcer(progress: Progress) {
  const colours = pc.createColors(pc.isColorSupported && process.stderr.isTTY === true && !process.env["CI"]);
  return (message: Exclude<FromCheck, { kind: "ready" | "checked" | "ended" }>): void => {
    if (message.kind === "failed") progress.say(`Cannot write the result: ${message.reason}.`);
    if (message.kind === "failed" || message.count > MOST_PRINTED) return;
    const { clause, verdict, reason, count, request } = message;
    const more = count === MOST_PRINTED ? "; more of these are counted in the report" : "";
    const line = plainLine(`${verdict}  ${clause}  ${request}: ${reason}${more}`);
    progress.say(verdict === "WARN" ? colours.yellow(line) : colours.red(line));
  };
}
