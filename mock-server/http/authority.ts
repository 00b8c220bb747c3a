/** The CA of one mock: made at its start, kept in a file for clients to trust, gone when the mock ends. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateCACertificate } from "mockttp";
import type { Authority } from "./gateway.ts";

export interface OwnAuthority extends Authority {
  /** Where its certificate is, in PEM. */
  readonly file: string;
  /** Removes the file. */
  forget(): Promise<void>;
}

/** Makes a CA; its key is never written anywhere. */
export async function makeAuthority(): Promise<OwnAuthority> {
  const { key, cert } = await generateCACertificate({ subject: { commonName: "Assay mock, for tests only" } });
  const folder = await mkdtemp(join(tmpdir(), "assay-mock-ca-"));
  const file = join(folder, "ca.pem");
  await writeFile(file, cert);
  return { key, cert, file, forget: () => rm(folder, { recursive: true, force: true }) };
}
