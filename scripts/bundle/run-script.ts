/** The shell script that runs a bundle with a k6 elsewhere. Pure. */

import { FILES } from "../../formats/file-names.ts";
import { shellWord } from "../../lib/text.ts";
import { VERSION } from "../cli/tool.mjs";
import { MEASURING, NO_PORT } from "../load/k6-process.ts";
import { COMMON_KEY, type PortableLoad } from "./portable-load.ts";

/** The lines that end the script where a variable is not set: requests would be sent without what is in it. */
const requirement = (name: string): string =>
  name === COMMON_KEY
    ? `[ -n "\${${name}:-}\${ASSAY_API_KEYS:-}" ] || refuse "${name} is not set. Set it to the API key of the target, or ASSAY_API_KEYS to several, joined by commas; a target without keys takes any text."`
    : `[ -n "\${${name}:-}" ] || refuse "${name} is not set. Set it to the API key or the header that requests take from it."`;

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
refuse() {
  echo "Cannot run the load: $1" >&2
  exit 3
}
[ $# -gt 0 ] || refuse "name a new folder for its results, such as: sh run.sh results"
${secretVariables.map(requirement).join("\n")}
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
