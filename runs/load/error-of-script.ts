/** What k6 logs of an error that a script threw, as it is shown. */

import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { FILES } from "../../formats/file-names.ts";
import { ROOT } from "../../toolchain/installed.mjs";

/** The message, and a line for each place in a file of the user that its stack names. */
export function errorOfScript(text: string): string {
  const [message = "", ...frames] = text.split(/\n\tat /);
  return [message.replace(/^(?:Go|Usage)?Error: /, "").trim(), ...frames.flatMap(ownFrame)].join("\n");
}

/** Of a stack of k6: `name (file:///x.ts:1:2(3))`, or without a name and its parentheses. */
const FRAME = /^(?:(.*) \()?(file:.*?):(\d+:\d+)\(\d+\)/;

/** Such as `    at inner (own.ts:8:13)`; nothing for what is not in a file of the user: Assay's own, or a bundle. */
function ownFrame(frame: string): readonly string[] {
  const [, name = "", address = "", position = ""] = FRAME.exec(frame) ?? [];
  if (address === "" || address.startsWith(ROOT.href) || address.endsWith(`/${FILES.bundle}`)) return [];
  const file = fileURLToPath(address);
  const near = relative(process.cwd(), file);
  const place = `${near.startsWith("..") ? file : near}:${position}`;
  return [`    at ${name === "" ? place : `${name} (${place})`}`];
}
