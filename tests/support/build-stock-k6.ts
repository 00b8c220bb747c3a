/** A k6 without Assay's extension, built from the k6 sources that the extension depends on. */

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../scripts/toolchain/find-k6.mjs";
import { EXTENSION } from "../../scripts/toolchain/k6.ts";

/** Builds it and returns its path; Go builds only what has changed. */
export function stockK6(): string {
  const folder = join(cacheFolder(process.env), "stock");
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `k6.${process.pid}.tmp`);
  const path = join(folder, "k6");
  execFileSync("go", ["build", "-trimpath", "-buildvcs=false", "-o", temporary, "go.k6.io/k6/v2"], {
    cwd: EXTENSION,
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  renameSync(temporary, path);
  return path;
}
