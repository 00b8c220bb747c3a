/** The shell script that runs a bundle with a k6 elsewhere. Pure. */

import { VERSION } from "../../cli/tool.mjs";
import { FILES } from "../../formats/file-names.ts";
import { shellWord } from "../../lib/text.ts";
import { LOAD_FILE } from "../../settings/load/load-json.ts";
import { MEASURING, NO_PORT } from "../load/k6-process.ts";
import { CLIENT_CERT, CLIENT_KEY, COMMON_KEY, type PortableLoad } from "./portable-load.ts";

/** The lines that end the script where a variable is not set: requests would be sent without what is in it. */
function requirement(name: string, keyFrom: string): string {
  if (name !== COMMON_KEY) {
    return `[ -n "\${${name}:-}" ] || refuse "${name} is not set. Set it to the API key or the header that requests take from it."`;
  }
  if (keyFrom !== COMMON_KEY) {
    return `[ -n "\${${keyFrom}:-}" ] || refuse "${keyFrom} is not set. Set it to the API key of the target; a target without keys takes any text."
export ${COMMON_KEY}="$${keyFrom}" ${SEVERAL_KEYS}=`;
  }
  return `[ -n "\${${name}:-}\${${SEVERAL_KEYS}:-}" ] || refuse "${name} is not set. Set it to the API key of the target, or ${SEVERAL_KEYS} to several, joined by commas; a target without keys takes any text."`;
}

/** The line that ends the script where the key of the client certificate is not there, unless load.json was told of another place. */
const clientKey = (files: PortableLoad["files"]): string =>
  files.some(({ name }) => name === CLIENT_CERT)
    ? `folder=$(dirname "$0")
! grep -q ${CLIENT_KEY} "$folder/${LOAD_FILE}" || [ -r "$folder/${CLIENT_KEY}" ] || refuse "$folder/${CLIENT_KEY} is not there. Put the private key of ${CLIENT_CERT} there: no private key is taken along."
`
    : "";

const SEVERAL_KEYS = "ASSAY_API_KEYS";

/**
 * The script: takes a new folder for the results, and further arguments for k6.
 * @param what is loaded, for its first lines
 */
export function runScript({ files, secretVariables, keyFrom }: PortableLoad, what: string): string {
  const named = secretVariables.map((name) => (name === COMMON_KEY ? keyFrom : name));
  const [first = keyFrom] = named;
  const needed = named.map((name) => (name === COMMON_KEY ? `${name} (or ${SEVERAL_KEYS})` : name)).join(", ");
  return `#!/bin/sh
# ${what.replaceAll(/\s+/g, " ")}
#
#   ${first}=… sh run.sh RESULTS [k6 options]     RESULTS is a new folder
#   assay report RESULTS                               makes the reports
#
# Needs a k6 with the extension of Assay ${VERSION}: as k6 on the PATH, or named by K6 (assay doctor prints where the one that
# Assay built is). Taken from the environment: ${needed}.
# ${LOAD_FILE} describes the load; change its settings there, such as "duration": "2m".
# One part of several: sh run.sh part-1 --execution-segment 0:1/2 --execution-segment-sequence 0,1/2,1
set -eu
refuse() {
  echo "Cannot run the load: $1" >&2
  exit 3
}
[ $# -gt 0 ] || refuse "name a new folder for its results, such as: sh run.sh results"
${secretVariables.map((name) => requirement(name, keyFrom)).join("\n")}
${clientKey(files)}mkdir -p -m 700 "$1"
results=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"
exec "\${K6:-k6}" run ${[...MEASURING, ...NO_PORT].map(shellWord).join(" ")} --out "assay=$results" "$@" ${FILES.bundle}
`;
}
