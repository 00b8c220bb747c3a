/** `npm run sbom [FOLDER]`: writes the bills of materials, and fails when a licence is not on the list. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { notify, print } from "../../cli/console.mjs";
import { k6ForLoads } from "../../toolchain/k6.ts";
import { type CycloneDx, k6Bill, npmBill } from "./bill-of-materials.ts";
import { goModules, npmPackages, ROOT } from "./components.ts";
import { licenceProblems } from "./licence-policy.ts";

const folder = process.argv[2] ?? "out/sbom";
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

function write(name: string, bill: CycloneDx): void {
  const path = join(folder, name);
  writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`);
  print(`${path}: ${bill.components.length} components\n`);
}

mkdirSync(folder, { recursive: true });
const modules = goModules();
const k6 = await k6ForLoads();
write("assay-npm.cdx.json", npmBill(version));
write("assay-k6.cdx.json", k6Bill(version, k6.path, modules));

const problems = licenceProblems([...npmPackages(), ...modules]);
if (problems.length > 0) {
  notify(["Licences that are not on the list of scripts/supply-chain/licence-policy.ts:", ...problems].join("\n  "));
  process.exitCode = 1;
}
