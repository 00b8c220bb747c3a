/** An objective that cannot decide a load, because one that every load has asks for more, is said to be so before the load starts. Pure. */

import { parseSlo, type Slo } from "../../load/objectives/slo.ts";
import { DEFAULT_SLOS } from "../../settings/load/load-table.ts";

const isOfWholeLoad = ({ part, within }: Slo): boolean => part === undefined && within === undefined;
const isUpper = ({ comparison }: Slo): boolean => comparison.startsWith("<");

/** Whether whatever meets `strong` meets `weak`, which is another objective. */
function isWeaker(weak: Slo, strong: Slo): boolean {
  const isSame = weak.metric === strong.metric && isOfWholeLoad(weak) && isUpper(weak) === isUpper(strong);
  return isSame && (isUpper(weak) ? weak.bound > strong.bound : weak.bound < strong.bound);
}

/** Which of the given objectives a default one makes needless, and how to leave that out; undefined where none is. */
export function weakerNotice({
  slo = [],
  noDefaultSlos = false,
}: {
  readonly slo?: readonly string[] | undefined;
  readonly noDefaultSlos?: boolean | undefined;
}): string | undefined {
  if (noDefaultSlos) return undefined;
  const defaults = DEFAULT_SLOS.map(parseSlo);
  const weaker = slo.map(parseSlo).flatMap((weak) => {
    const strong = defaults.find((own) => isWeaker(weak, own));
    return strong === undefined ? [] : `${weak.expr} decides nothing: every load must meet ${strong.expr}`;
  });
  return weaker.length === 0 ? undefined : `${weaker.join("; ")}. Leave that out with --set no-default-slos.`;
}
