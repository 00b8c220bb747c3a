/** A run of the proxy, from its start to its report. */

import { resolve } from "node:path";
import pc from "picocolors";
import { colouredProgress, type Progress } from "../../cli/console.mjs";
import { whileInterruptible } from "../../cli/interrupt.ts";
import { inResultFolder, requirePresent } from "../../cli/result-folder.ts";
import type { UsedTarget } from "../../cli/target.ts";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { selectPassive } from "../../conformance/engine/clause-selection.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import type { ConformanceResult } from "../../formats/conformance.ts";
import { plainLine } from "../../lib/text.ts";
import { STOP_MS } from "../../proxy/proxy-server.ts";
import { plural } from "../../reports/numbers.ts";
import { checkReach, reachOf, routeTo } from "../../route/route.ts";
import { noTarget } from "../../settings/address.ts";
import type { SettingsFor } from "../../settings/all-settings.ts";
import type { Values } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { leaveWithoutReport } from "../load/measure-load.ts";
import { checkNewFile } from "../load/outputs/output-plan.ts";
import { conformanceResultOf, writeConformanceViews } from "../views/conformance-views.ts";
import type { CheckSettings } from "./check-messages.ts";
import { startForwarder } from "./forwarder.ts";
import type { Finding, Route } from "./forwarding-messages.ts";

type ProxyValues = Values<SettingsFor<"proxy">>;
/** Settings of a run whose target is known. */
export type ProxySettings = ProxyValues & { readonly target: string };

/** Violations of a clause that are printed as they come; the report counts them all. */
const MOST_PRINTED = 3;

/**
 * Checks settings, sends nothing.
 * @throws UsageError that says what is wrong and what to do
 */
export async function checkedProxySettings(values: ProxyValues): Promise<ProxySettings> {
  const { target, trace, tenantHeader } = values;
  if (target === undefined) throw noTarget();
  if (tenantHeader !== undefined && trace === undefined) {
    throw new UsageError("Cannot note tenants: --tenant-header is for a trace. Name its file with --trace FILE.");
  }
  if (trace !== undefined) checkNewFile("--trace", trace);
  checkReach(values);
  const clauses = await loadClauses();
  try {
    readBaseline(values.baseline, clauses);
    selectPassive(clauses, { profile: values.profile, ...(values.only !== undefined && { only: values.only }) });
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
  return { ...values, target };
}

/** What it passes on goes past the proxies of the environment. */
const PAST_PROXIES = { direct: true } as const;

/** The target of a proxy. Clients bring their own keys, and nobody knows which endpoints they will use. */
export function targetOf({ target, ...settings }: ProxySettings): UsedTarget {
  const connection = { target, ...reachOf(settings), ...PAST_PROXIES };
  return { target, endpoints: (["chat", "embeddings"] as const).map((part) => ({ part, connection })) };
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
  const forwarder = await inResultFolder(folder, () =>
    startForwarder({
      route: routeOf(settings),
      check: checkSettings(settings, folder),
      counted: (taken, open) => progress.show(`${plural(taken, "request")} forwarded, ${open} in progress`),
      found: announcer(progress),
      stopping: (open) => {
        if (open > 0)
          progress.say(
            `Stopping: waiting up to ${STOP_MS / 1_000} s for ${plural(open, "request")} in progress. Press Ctrl-C again to end them.`,
          );
      },
    }),
  );
  const { host } = settings;
  const ended = whileInterruptible(
    (urgency) => (urgency === "now" ? forwarder.kill() : forwarder.stop()),
    async () => {
      ready(`http://${host.includes(":") ? `[${host}]` : host}:${forwarder.port}`);
      await forwarder.ended;
    },
  ).finally(() => progress.end());
  return await ended.then(
    () => reportedInTime(folder),
    async (fault: unknown) => {
      // What was checked before it is reported all the same.
      await reportedInTime(folder).catch(() => undefined);
      throw fault;
    },
  );
}

/** Reports; an interrupt meanwhile costs no report, a second one does. */
const reportedInTime = (folder: string): Promise<ConformanceResult> =>
  whileInterruptible(
    (urgency) => {
      if (urgency === "now") leaveWithoutReport(folder);
    },
    () => reported(folder),
  );

async function reported(folder: string): Promise<ConformanceResult> {
  requirePresent(folder, "traffic");
  const result = await conformanceResultOf(folder);
  await writeConformanceViews(folder, result);
  return result;
}

function routeOf({ host, port, target, insecure = false, ...settings }: ProxySettings): Route {
  const { certificates, client, addresses } = routeTo(target, { ...reachOf(settings), ...PAST_PROXIES });
  return { host, port, target, ca: certificates, client, addresses, insecure };
}

function checkSettings(
  { profile, only, baseline, redactBodies = false, trace, tenantHeader, ...settings }: ProxySettings,
  folder: string,
): CheckSettings {
  const { target } = settings;
  return {
    folder,
    target,
    settings: { ...settings, profile, only, redactBodies, trace, tenantHeader },
    profile,
    only,
    baseline,
    redactBodies,
    ...(trace !== undefined && { trace: resolve(trace) }),
    tenantHeader,
  };
}

/** Prints what the checking process finds, the first violations of each clause. */
function announcer(progress: Progress) {
  const colours = pc.createColors(colouredProgress());
  return (message: Finding): void => {
    if (message.kind === "failed") progress.say(`${message.reason}.`);
    if (message.kind === "failed" || message.count > MOST_PRINTED) return;
    const { clause, verdict, reason, count, request } = message;
    const more = count === MOST_PRINTED ? "; more of these are counted in the report" : "";
    const line = plainLine(`${verdict}  ${clause}  ${request}: ${reason}${more}`);
    progress.say(verdict === "WARN" ? colours.yellow(line) : colours.red(line));
  };
}
