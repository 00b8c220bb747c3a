/** The shell script that runs a bundle with a k6 elsewhere. Pure. */

import { FILES } from "../../formats/file-names.ts";
import { VERSION } from "../cli/tool.ts";
import { MEASURING, NO_PORT } from "../load/k6-process.ts";
import { COMMON_KEY, type PortableLoad } from "./portable-load.ts";

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w./:=@,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The script: takes a new folder for the results, and further arguments for k6.
 * @param what is loaded, for its first lines
 */
export function runScript({ variables, secretVariables }: PortableLoad, what: string): string {
  const [first = COMMON_KEY] = secretVariables;
  const needed = secretVariables.map((name) => (name === COMMON_KEY ? `${name} (or ASSAY_API_KEYS)` : name)).join(", ");
  return `#!/bin/sh
# ${what.replaceAll(/\s+/g, " ")}
#
#   ${first}=… sh run.sh RESULTS [k6 options]     RESULTS is a new folder
#   assay report RESULTS                               makes the reports
#
# Needs a k6 with the extension of Assay ${VERSION}: as k6 on the PATH, or named by K6 (assay doctor prints where the one that
# Assay built is). Taken from the environment: ${needed}.
# One part of several: sh run.sh part-1 --execution-segment 0:1/2 --execution-segment-sequence 0,1/2,1
set -eu
if [ $# -eq 0 ]; then
  echo "Cannot run the load: name a new folder for its results, such as: sh run.sh results" >&2
  exit 3
fi
mkdir -p -m 700 "$1"
results=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"
${Object.entries(variables)
  .map(([name, value]) => `export ${name}=${shellWord(value)}`)
  .join("\n")}
exec "\${K6:-k6}" run ${[...MEASURING, ...NO_PORT].map(shellWord).join(" ")} --out "assay=$results" "$@" ${FILES.bundle}
`;
}
