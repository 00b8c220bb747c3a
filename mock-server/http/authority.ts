/** The CA of one mock: created at its start, written to a file for clients to trust, removed when the mock stops. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateCACertificate } from "mockttp";
import type { Authority } from "./gateway.ts";

/** Creates a CA; its key is never written to disk. */
export async function makeAuthority(): Promise<Authority> {
  return generateCACertificate({ subject: { commonName: "Assay mock, for tests only" } });
}

/** The certificate of a CA in a temporary folder of its own. */
export interface CertificateFile {
  /** Path of the certificate, in PEM. */
  readonly path: string;
  /** Removes the folder. */
  remove(): Promise<void>;
}

/** Writes a certificate in PEM for clients to trust. */
export async function saveCertificate(cert: string): Promise<CertificateFile> {
  const folder = await mkdtemp(join(tmpdir(), "assay-mock-ca-"));
  const path = join(folder, "ca.pem");
  await writeFile(path, cert);
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
