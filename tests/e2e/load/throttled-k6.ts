/** A load generator without enough CPU time, as under the CPU limit of a container: stopped for 50 ms out of every 100. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureK6 } from "../../../toolchain/find-k6.mjs";
import { newFolder } from "../../support/commands/assay-process.ts";

/** The path of such a k6, for `ASSAY_K6`. The loop that stops and continues it ends with it, however it ends. */
export async function throttledK6(): Promise<string> {
  const { path } = await ensureK6();
  const script = join(newFolder(), "k6");
  writeFileSync(
    script,
    `#!/bin/sh
(while kill -STOP $$; do sleep 0.05; kill -CONT $$; sleep 0.05; done) </dev/null >/dev/null 2>&1 &
exec '${path}' "$@"
`,
  );
  chmodSync(script, 0o755);
  return script;
}
