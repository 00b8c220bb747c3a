/** `assay proxy`: passes traffic on to a target, unchanged, and checks it. */

import { join } from "node:path";
import { Command } from "commander";
import { type CommonFlags, resolveSettings, withSettings } from "../cli/command-settings.ts";
import { print, progressOn } from "../cli/console.mjs";
import { folderForTarget, givenTarget, prefixNotice } from "../cli/target.ts";
import { checkedProxySettings, runProxy, targetOf } from "../proxy/run-proxy.ts";
import { conformanceLines } from "../views/conformance-views.ts";

interface ProxyFlags extends CommonFlags, Readonly<Record<string, unknown>> {}

export const command = withSettings(
  new Command("proxy").description("pass traffic on to a target, unchanged, and check it until a signal ends it"),
  "proxy",
).action(async (flags: ProxyFlags) => {
  const settings = await checkedProxySettings(resolveSettings("proxy", flags).values);
  const progress = progressOn(flags.quiet);
  const notice = prefixNotice(givenTarget(flags), settings.target);
  if (notice !== undefined) progress.say(notice);
  const folder = await folderForTarget(targetOf(settings), flags.out, "proxy", progress.say);
  const result = await runProxy(settings, folder, progress, (url) => {
    print(`ready ${url}\n`);
    progress.say(`Give clients the base address ${url}/v1. Stop with Ctrl-C.`);
  });
  print(await conformanceLines(folder, result));
  print(`\n  report  ${join(folder, "conformance.html")}\n`);
  process.exitCode = result.exitCode;
});
