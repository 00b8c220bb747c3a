/** What can be said of anything that was thrown. */

/** What was thrown, as an error. */
export const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The code of an error, such as ECONNRESET; empty when it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** What an error says: of OpenSSL its reason alone, whose message has line ends, addresses and lines of its source. */
export function messageOf(error: Error): string {
  const code = codeOf(error);
  if (code.startsWith("ERR_SSL_") && "reason" in error) return `TLS failed: ${error.reason}`;
  return error.message === "" ? code : error.message;
}
