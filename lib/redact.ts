/**
 * Keeps secrets out of records and logs: header values by their name, and the text of the secrets wherever it is echoed.
 * Runs in Node only. The extension follows the same rule (`scenarios/extension/redact`): both pass the cases of
 * `lib/testdata/redaction.json`.
 */

export const REDACTED = "<redacted>";

/** Secrets shorter than this are replaced only where they stand alone, or they would hollow out ordinary words. */
const SHORT = 8;
/** A text that was cut may end within a secret; from this length on, its beginning is taken out too. */
const TAIL = 4;
/** Where excerpts were cut. */
const CUT = "…";

export interface Redactor {
  /** Replaces every secret within a text, in the forms in which services echo them, and the beginning of one before `…`. */
  readonly text: (text: string) => string;
  /** The same for a text that was cut, which may end within a secret. */
  readonly cutText: (text: string) => string;
  /** Request headers: the values of Authorization and of the headers that were asked for. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>;
}

/**
 * Makes a redactor.
 * @param secrets values that must never be recorded
 * @param secretHeaders names of request headers whose values are secret, besides Authorization
 */
export function redactor(secrets: readonly string[], secretHeaders: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret !== ""))].sort((a, b) => b.length - a.length);
  const forms = known.flatMap((secret) => formsOf(secret));
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.map(patternOf).join("|"), "gi");
  const hidden = new Set(["authorization", "proxy-authorization", ...secretHeaders.map((name) => name.toLowerCase())]);
  const whole = (given: string): string => (pattern === undefined ? given : given.replace(pattern, REDACTED));
  const text = (given: string): string => {
    const parts = whole(given).split(CUT);
    return parts.map((part, index) => (index < parts.length - 1 ? withoutTail(part, known) : part)).join(CUT);
  };
  return {
    text,
    cutText: (given) => withoutTail(text(given), known),
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, hidden.has(name.toLowerCase()) ? REDACTED : text(value)]),
      ),
  };
}

/** The secret itself, inside JSON, inside an address, and as UTF-8 read byte by byte. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("latin1"),
    ...(secret.length >= SHORT ? [base64] : []),
  ];
  return [...new Set(forms)];
}

function patternOf(form: string): string {
  const literal = form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return form.length >= SHORT ? literal : `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`;
}

function withoutTail(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; secret.length >= SHORT && length >= TAIL; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
  }
  return text;
}
