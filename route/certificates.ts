/** The certificates that are trusted: one bundle for both clients, which Node reads and k6 is told. */

import { X509Certificate } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as tls from "node:tls";
import { readTextFile, whyNoFile } from "../lib/text-file.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import type { Environment } from "./proxy-rules.ts";

/** Where distributions keep the certificates of the system, as Go looks for them. */
const SYSTEM_FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * All certificates that are trusted, each once, in PEM form: those of the system or, with `SSL_CERT_FILE` and `SSL_CERT_DIR` both set, of these
 * alone; of one of these in addition; of `NODE_EXTRA_CA_CERTS`; of `--ca-file`.
 * @throws UsageError that names the variable or the flag of a file that cannot be read
 */
export function trustedCertificates(caFile: string | undefined, env: Environment = process.env): string {
  const { SSL_CERT_FILE: file, SSL_CERT_DIR: folders, NODE_EXTRA_CA_CERTS: extra } = env;
  const named = [
    ...(file ? [certificatesIn(file, "SSL_CERT_FILE")] : []),
    ...(folders ? folders.split(":").flatMap(certificatesOf) : []),
  ];
  const texts = [
    ...(file && folders ? [] : systemCertificates()),
    ...named,
    ...(extra ? [certificatesIn(extra, "NODE_EXTRA_CA_CERTS")] : []),
    ...(caFile === undefined ? [] : [certificatesIn(caFile)]),
  ];
  const each = texts.join("\n").replaceAll("\r", "").match(CERTIFICATE) ?? [];
  return [...new Set(each)].join("\n");
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Those of the system; where it has none that Node can read, those that Node has. */
function systemCertificates(): readonly string[] {
  // Node 22.15 and later read the stores of macOS and Windows too.
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: "system") => string[] };
  const file = SYSTEM_FILES.find((each) => existsSync(each));
  const found = file === undefined ? (getCACertificates?.("system") ?? []) : [readTextFile(file)];
  return found.length === 0 ? tls.rootCertificates : found;
}

/** What a folder holds of certificates; its other files are skipped, as OpenSSL does. */
function certificatesOf(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new UsageError(
      `Cannot read certificates from ${folder}: ${reasonOf(error)}. Correct the environment variable SSL_CERT_DIR.`,
    );
  }
  return names.flatMap((name) => {
    try {
      return [readTextFile(join(folder, name))];
    } catch {
      return [];
    }
  });
}

/**
 * The certificates of a file, of `--ca-file` unless a variable names it.
 * @throws UsageError when it cannot be read, or does not begin with a certificate in PEM form
 */
export function certificatesIn(file: string, variable?: string): string {
  try {
    const text = textOf(file);
    requireCertificate(text);
    return text;
  } catch (error) {
    const advice =
      variable === undefined ? "Name a PEM file with --ca-file." : `Correct the environment variable ${variable}.`;
    throw new UsageError(`Cannot read certificates from ${file}: ${reasonOf(error)}. ${advice}`);
  }
}

function requireCertificate(text: string): void {
  try {
    new X509Certificate(text);
  } catch {
    throw new Error("it holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----");
  }
}

/** @throws Error of a file that is no text, such as a certificate in DER form */
function textOf(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    if (!isDer(file)) throw error;
    throw new Error(
      `it is a certificate in DER form; convert it with openssl x509 -inform der -in ${file} -out ca.pem`,
    );
  }
}

/** A certificate has a few kB; a device that never ends, or a large file, is not read for one. */
const LARGEST_DER = 1 << 16;

function isDer(file: string): boolean {
  try {
    const stats = statSync(file);
    if (whyNoFile(stats) !== undefined || stats.size > LARGEST_DER) return false;
    return new X509Certificate(readFileSync(file)).raw.length > 0;
  } catch {
    return false;
  }
}
