/** A k6 without Assay's extension, built from the k6 sources that the extension depends on. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, goVersion } from "../../scripts/toolchain/find-k6.mjs";
import { EXTENSION } from "../../scripts/toolchain/k6.ts";

/** What it is built from, besides the toolchain: the modules in their versions. */
const BUILT_FROM = ["go.mod", "go.sum"];

/** Its path. It is built once for each set of modules and each Go: linking takes seconds even where nothing has changed. */
export function stockK6(): string {
  const hash = createHash("sha256").update(goVersion() ?? "");
  for (const file of BUILT_FROM) hash.update(readFileSync(join(EXTENSION, file)));
  const folder = join(cacheFolder(process.env), "stock");
  const path = join(folder, `k6-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  execFileSync("go", ["build", "-trimpath", "-buildvcs=false", "-o", temporary, "go.k6.io/k6/v2"], {
    cwd: EXTENSION,
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  renameSync(temporary, path);
  return path;
}
