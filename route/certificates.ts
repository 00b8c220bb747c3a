/** The certificates that are trusted: one bundle for both clients, which Node reads and k6 is told. */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
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
    ...(file ? [certificatesIn(file, ofVariable("SSL_CERT_FILE"))] : []),
    ...(folders ? folders.split(":").flatMap(certificatesOf) : []),
  ];
  const texts = [
    ...(file && folders ? [] : systemCertificates()),
    ...named,
    ...(extra ? [certificatesIn(extra, ofVariable("NODE_EXTRA_CA_CERTS"))] : []),
    ...(caFile === undefined ? [] : [certificatesIn(caFile)]),
  ];
  return [...new Set(texts.flatMap(pemBlocks))].join("\n");
}

/** The certificates in a text, as they are written there. */
export const pemBlocks = (text: string): readonly string[] => text.replaceAll("\r", "").match(CERTIFICATE) ?? [];
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
      `Cannot read certificates from ${folder}: ${reasonOf(error)}. ${ofVariable("SSL_CERT_DIR").advice}`,
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

/** What to do about a file that cannot be read. */
interface NamedBy {
  readonly advice: string;
}
const ofVariable = (name: string): NamedBy => ({ advice: `Correct the environment variable ${name}.` });
const OF_CA_FILE: NamedBy = { advice: "Name a PEM file with --ca-file." };

/**
 * The certificates of a file, of `--ca-file` unless something else names it.
 * @throws UsageError when it cannot be read, or does not begin with a certificate in PEM form
 */
export function certificatesIn(file: string, { advice } = OF_CA_FILE): string {
  try {
    const text = textOf(file);
    requireCertificate(text);
    return text;
  } catch (error) {
    throw new UsageError(`Cannot read certificates from ${file}: ${reasonOf(error)}. ${advice}`);
  }
}

/** What shows a target that asks for it who this client is: certificates, its own first, and their key, in PEM form. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  /** `CN=loads`, the file and the last day on which it holds, for a message. */
  readonly words: string;
}

/**
 * The certificate of `--client-cert`, with its key, which may be in the same file.
 * @throws UsageError when one of the files cannot be used, or they do not belong together
 */
export function clientCertificate(certFile: string, keyFile = certFile): ClientCertificate {
  const cert = certificatesIn(certFile, { advice: "Name a PEM file with --client-cert." });
  const key = privateKeyIn(keyFile);
  const own = new X509Certificate(cert);
  if (!own.checkPrivateKey(key)) {
    throw new UsageError(
      `Cannot use the client certificate ${certFile}: the key in ${keyFile} is not that of its first certificate (${subjectOf(own)}). Name the key that belongs to it with --client-key.`,
    );
  }
  const words = `${subjectOf(own)} of ${certFile}, valid until ${own.validTo}`;
  return { cert: pemBlocks(cert).join("\n"), key: key.export({ type: "pkcs8", format: "pem" }).toString(), words };
}

const subjectOf = ({ subject }: X509Certificate): string => (subject ?? "no subject").replaceAll("\n", ", ");

function privateKeyIn(file: string): KeyObject {
  const refused = (reason: string): UsageError => new UsageError(`Cannot read the private key ${file}: ${reason}`);
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    throw refused(`${reasonOf(error)}. Name a PEM file with --client-key.`);
  }
  if (/^(?:-----BEGIN ENCRYPTED|Proc-Type:.*ENCRYPTED)/m.test(text)) {
    throw refused(`it is encrypted. Decrypt it with openssl pkey -in ${file} -out key.pem, and name key.pem.`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw refused("it holds no private key in PEM form. Name the file of the key with --client-key.");
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
