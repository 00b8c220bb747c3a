/** `assay proxy`: passes traffic on to a target, unchanged, and checks it. */

import { join } from "node:path";
import { Command } from "commander";
import { type CommonFlags, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { print, printResult, progressOn } from "../../cli/console.mjs";
import { folderForTarget, givenTarget, prefixNotice } from "../../cli/target.ts";
import { conformanceJson } from "../../formats/conformance.ts";
import { checkedProxySettings, runProxy, targetOf } from "../../runs/proxy/run-proxy.ts";
import { conformanceLines } from "../../runs/views/conformance-views.ts";

interface ProxyFlags extends CommonFlags, Readonly<Record<string, unknown>> {}

export const command = withSettings(new Command("proxy"), "proxy").action(async (flags: ProxyFlags) => {
  const { values } = resolveSettings("proxy", flags);
  const settings = await checkedProxySettings(values);
  const progress = progressOn(flags.quiet);
  const notice = prefixNotice(givenTarget(flags), settings.target);
  if (notice !== undefined) progress.say(notice);
  const folder = await folderForTarget(
    { ...targetOf(settings), waitFor: values.waitFor },
    flags.out,
    "proxy",
    progress.say,
  );
  const result = await runProxy(settings, folder, progress, (url) => {
    print(`ready ${url}\n`);
    progress.say(`Give clients the base address ${url}/v1. Stop with Ctrl-C.`);
  });
  const text = await conformanceLines(folder, result);
  printResult(`${text}\n  report  ${join(folder, "conformance.html")}\n`, () => conformanceJson(result));
  process.exitCode = result.exitCode;
});
