/** What Assay consists of, in addition to its own code: the npm packages and the Go modules in k6, each with its licences. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { EXTENSION } from "../../toolchain/find-k6.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The Go module whose go.mod names the tools of the supply chain, and whose program reads licences. */
export const GO_TOOLS = fileURLToPath(new URL(".", import.meta.url));

/** `node`: what Node runs, and what it is tested with; `k6`: what is compiled into the k6 binary. */
export type ComponentPart = "node" | "k6";

/** A package or module. All its licences apply; within one, `OR` leaves the choice. */
export interface Component {
  readonly part: ComponentPart;
  readonly name: string;
  readonly version: string;
  readonly licences: readonly string[];
}

/** Licences of components that state them where no tool looks, each with the place. */
const STATED_ELSEWHERE: Readonly<Record<string, { readonly licence: string; readonly place: string }>> = {
  "destroyable-server": { licence: "Apache-2.0", place: "its file LICENSE, and `licenses` in package.json" },
  "read-tls-client-hello": { licence: "Apache-2.0", place: "its file LICENSE, and `licenses` in package.json" },
  "buf.build/gen/go/prometheus/prometheus/protocolbuffers/go": {
    licence: "Apache-2.0",
    place: "generated from the definitions of Prometheus, which has this licence",
  },
};

/** The licences of a component: those that a tool found, or those that are stated elsewhere. */
export const licencesOf = (name: string, found: readonly string[]): readonly string[] => {
  const elsewhere = STATED_ELSEWHERE[name]?.licence;
  return found.length === 0 && elsewhere !== undefined ? [elsewhere] : found;
};

const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ version: z.string(), license: z.string().optional() })),
});

/** Every npm package of package-lock.json, those for other platforms and for development among them. */
export function npmPackages(): readonly Component[] {
  const { packages } = Lockfile.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  return Object.entries(packages)
    .filter(([folder]) => folder !== "")
    .map(([folder, { version, license }]) => {
      const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
      return { part: "node", name, version, licences: licencesOf(name, license === undefined ? [] : [license]) };
    });
}

const GoModules = z.array(z.object({ name: z.string(), version: z.string(), licences: z.array(z.string()) }));

/** Name, version and folder of each module with code in the k6 binary, Go's standard library among them. */
function compiledModules(): string {
  const go = (...args: string[]): string => execFileSync("go", args, { cwd: EXTENSION, encoding: "utf8" }).trim();
  const format = '{{with .Module}}{{if not .Main}}{{.Path}}{{"\\t"}}{{.Version}}{{"\\t"}}{{.Dir}}{{end}}{{end}}';
  const [version, folder] = go("env", "GOVERSION", "GOROOT").split("\n");
  return [...new Set([...go("list", "-deps", "-f", format, ".").split("\n"), `std\t${version}\t${folder}`])].join("\n");
}

/**
 * Every Go module with code in the k6 binary.
 * @throws Error of `go`, which downloads the reader of licences the first time
 */
export function goModules(): readonly Component[] {
  const found = execFileSync("go", ["run", "-trimpath", "."], {
    cwd: GO_TOOLS,
    encoding: "utf8",
    input: compiledModules(),
  });
  return GoModules.parse(JSON.parse(found)).map(({ name, version, licences }) => ({
    part: "k6",
    name,
    version,
    licences: licencesOf(name, licences),
  }));
}
