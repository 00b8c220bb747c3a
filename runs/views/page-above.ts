/** The page that lists the result in a folder: a page of a run links back to that of its demo, search or repetition. */

import { basename, dirname, resolve } from "node:path";
import { holds, isResultFolder } from "../../cli/result-folder.ts";
import { FILES } from "../../formats/file-names.ts";
import { type PageAbove, withLinkAbove } from "../../reports/page/page.ts";

/** The page in the folder above, where that is a result folder too. It may be written later. */
function pageAbove(folder: string): PageAbove | undefined {
  const above = dirname(resolve(folder));
  if (!isResultFolder(above)) return undefined;
  if (holds(above, FILES.search)) return ABOVE.search;
  if (holds(above, FILES.calibration)) return ABOVE.calibration;
  return basename(resolve(folder)) === FILES.check ? ABOVE.load : ABOVE.all;
}

const ABOVE = {
  search: { href: "../search.html", title: "search" },
  calibration: { href: "../calibration.html", title: "calibration" },
  load: { href: "../run.html", title: "load" },
  all: { href: `../${FILES.index}`, title: "all results" },
} as const;

/** The texts that a view may have, wherever its folder was when it was written. */
export const inAnyFolder = (view: string, ending: string): readonly string[] =>
  ending === "html" ? [view, ...Object.values(ABOVE).map((above) => withLinkAbove(view, above))] : [view];

/** A view that is to be written into a folder: a page gets a link to the one above. */
export function inFolder(view: string, ending: string, folder: string): string {
  const above = ending === "html" ? pageAbove(folder) : undefined;
  return above === undefined ? view : withLinkAbove(view, above);
}
