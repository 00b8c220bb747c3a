/** The Python that has the packages of `tests/system/requirements.txt`. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LOCAL = fileURLToPath(new URL("../system/.venv/bin/python", import.meta.url));

/** @throws Error that says how to install it */
export function pythonWithPackages(): string {
  const python = process.env["ASSAY_TEST_PYTHON"] ?? LOCAL;
  if (process.env["ASSAY_TEST_PYTHON"] !== undefined || existsSync(LOCAL)) return python;
  throw new Error(
    "no Python with the packages of the system tests. Install them with: python3 -m venv tests/system/.venv && tests/system/.venv/bin/pip install -r tests/system/requirements.txt",
  );
}
