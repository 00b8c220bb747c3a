/** Software bills of materials (SBOM) in the format CycloneDX: one of the npm packages, one of the k6 binary. */

import { execFileSync } from "node:child_process";
import { z } from "zod";
import { PACKAGE } from "../../cli/tool.mjs";
import { EXTENSION } from "../../toolchain/find-k6.mjs";
import { type Component, GO_TOOLS, licencesOf, ROOT } from "./components.ts";

const Licence = z.union([
  z.object({ license: z.object({ id: z.string() }) }),
  z.object({ expression: z.string() }),
  z.object({ license: z.object({ name: z.string() }) }),
]);

/** The members that are read or changed; the others stay as the tools wrote them. */
const CycloneDx = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.looseObject({ component: z.looseObject({ name: z.string(), version: z.string().optional() }) }),
  components: z.array(z.looseObject({ name: z.string(), version: z.string(), licenses: z.array(Licence).optional() })),
});
export type CycloneDx = z.infer<typeof CycloneDx>;

/** SPDX has no identifier for the AGPL without "only" or "or later" since version 3 of its list. */
const spdx = (licence: string): string => (licence === "AGPL-3.0" ? "AGPL-3.0-only" : licence);

/** Says what the bill is of, and adds the licences that the tool did not find. */
function completed(
  made: string,
  subject: { readonly name: string; readonly version: string; readonly licence: string },
  licences: (name: string) => readonly string[],
): CycloneDx {
  const bom = CycloneDx.parse(JSON.parse(made));
  const { name, version, licence } = subject;
  const component = { ...bom.metadata.component, name, version, licenses: [{ license: { id: licence } }] };
  return {
    ...bom,
    metadata: { ...bom.metadata, component },
    components: bom.components.map((component) => ({
      ...component,
      licenses: component.licenses ?? licences(component.name).map((id) => ({ license: { id: spdx(id) } })),
    })),
  };
}

const output = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32" && program === "npm",
  });

/** Of every package in package-lock.json, by npm. */
export function npmBill(version: string): CycloneDx {
  const made = output("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], ROOT);
  // npm calls the project after its folder.
  return completed(made, { name: PACKAGE, version, licence: "Apache-2.0" }, (name) => licencesOf(name, []));
}

/**
 * Of a k6 binary, by cyclonedx-gomod, which reads what the Go toolchain wrote into it.
 * @param binary path of the k6 binary
 * @param modules its modules, whose licences are added
 */
export function k6Bill(version: string, binary: string, modules: readonly Component[]): CycloneDx {
  const tool = ["tool", `-modfile=${GO_TOOLS}go.mod`, "cyclonedx-gomod"];
  const made = output("go", [...tool, "bin", "-json", "-std", binary], EXTENSION);
  const found = new Map(modules.map(({ name, licences }) => [name, licences]));
  const subject = { name: "assay.dev/k6", version, licence: spdx("AGPL-3.0") };
  return completed(made, subject, (name) => found.get(name) ?? []);
}
