/** Which licences may be used. */

import type { Component, ComponentPart } from "./components.ts";

/** Licences whose conditions a program that is passed on fulfils by naming them, or that ask for the unchanged source only. */
const EVERYWHERE = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MPL-2.0",
] as const;

/** The extension is AGPL-3.0, as k6 is; Assay runs the binary of both as a separate process. */
const ALLOWED: Readonly<Record<ComponentPart, readonly string[]>> = {
  node: EVERYWHERE,
  k6: [...EVERYWHERE, "AGPL-3.0"],
};

/** Whether an SPDX expression of single licences joined by OR or by AND is allowed; any other form is not. */
function allowed(expression: string, list: readonly string[]): boolean {
  const plain = expression.replace(/^\((.*)\)$/, "$1");
  return plain.includes(" AND ")
    ? plain.split(" AND ").every((licence) => list.includes(licence))
    : plain.split(" OR ").some((licence) => list.includes(licence));
}

/** The components that may not be used: a licence is not on the list, or there is none. */
export const notAllowed = (components: readonly Component[]): readonly Component[] =>
  components.filter(
    ({ part, licences }) => licences.length === 0 || !licences.every((each) => allowed(each, ALLOWED[part])),
  );

/** One line per component that may not be used. */
export const licenceProblems = (components: readonly Component[]): readonly string[] =>
  notAllowed(components).map(
    ({ name, version, licences }) =>
      `${name} ${version}: ${licences.length === 0 ? "no licence found" : licences.join(", ")}`,
  );
