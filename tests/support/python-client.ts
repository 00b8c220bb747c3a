/** The Python that has the openai client. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LOCAL = fileURLToPath(new URL("../system/.venv/bin/python", import.meta.url));

/** @throws Error that says how to install it */
export function pythonWithOpenai(): string {
  const python = process.env["ASSAY_TEST_PYTHON"] ?? LOCAL;
  if (process.env["ASSAY_TEST_PYTHON"] !== undefined || existsSync(LOCAL)) return python;
  throw new Error(
    "no Python with the openai client. Install it with: python3 -m venv tests/system/.venv && tests/system/.venv/bin/pip install -r tests/system/requirements.txt",
  );
}
