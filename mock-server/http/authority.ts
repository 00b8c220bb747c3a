/** The CA of one mock: created at its start, written to a file for clients to trust, removed when the mock stops. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateCACertificate } from "mockttp";
import type { Authority } from "./gateway.ts";

export interface OwnAuthority extends Authority {
  /** Path of its certificate, in PEM. */
  readonly file: string;
  /** Removes the file. */
  forget(): Promise<void>;
}

/** Creates a CA; its key is never written to disk. */
export async function makeAuthority(): Promise<OwnAuthority> {
  const { key, cert } = await generateCACertificate({ subject: { commonName: "Assay mock, for tests only" } });
  const folder = await mkdtemp(join(tmpdir(), "assay-mock-ca-"));
  const file = join(folder, "ca.pem");
  await writeFile(file, cert);
  return { key, cert, file, forget: () => rm(folder, { recursive: true, force: true }) };
}
