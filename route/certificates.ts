/** The certificates that are trusted. */

import { X509Certificate } from "node:crypto";
import { readTextFile } from "../lib/text-file.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";

/**
 * The certificates of `--ca-file`.
 * @throws UsageError when the file cannot be read, or does not begin with a certificate
 */
export function certificatesIn(file: string): string {
  try {
    const text = readTextFile(file);
    requireCertificate(text);
    return text;
  } catch (error) {
    throw new UsageError(`Cannot read certificates from ${file}: ${reasonOf(error)}. Name a PEM file with --ca-file.`);
  }
}

function requireCertificate(text: string): void {
  try {
    new X509Certificate(text);
  } catch {
    throw new Error("it holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----");
  }
}
