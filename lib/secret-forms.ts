/**
 * What of a secret is looked for in a text: itself, and what services make of it that is no escape of single characters.
 * The extension has the same rule (`extension/redact/forms.go`).
 */

import { type Located, unescaped } from "./escapes.ts";

/** A shorter secret occurs in texts by chance: it is not looked for. */
export const SHORTEST_SECRET = 8;

/** Layers of escapes that are undone, one within the other. */
export const LAYERS = 4;

/**
 * The forms of one secret, in bytes, letters in lower case, runs of white space as one space.
 * @param parts whether base64 and hexadecimal forms are wanted, which another secret within this one may have already
 */
export function formsOf(secret: string, parts: boolean): readonly Uint8Array[] {
  const utf8 = Buffer.from(secret);
  const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  const coded = [...new Set(spellings)].map((spelling) => Buffer.from(spelling));
  const forms = [
    secret,
    utf8.toString("latin1"), // UTF-8 that was read byte by byte
    Buffer.from(plain(utf8)).toString("utf8"),
    ...(parts ? coded.flatMap((bytes) => [...base64Of(bytes), bytes.toString("hex")]) : []),
  ];
  return [...new Set(forms.map(comparable))].map((form) => Buffer.from(form));
}

const comparable = (form: string): string =>
  form.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[ \t\r\n+]+/g, " ");

/** Without what looks like an escape in it. */
function plain(bytes: Uint8Array): Uint8Array {
  let text: Located = { bytes };
  for (let layer = 0; layer < LAYERS; layer++) {
    const next = unescaped(text);
    if (next === undefined) break;
    text = next;
  }
  return text.bytes;
}

/** What base64 has of the secret at each of the 3 offsets, in both alphabets: the characters that depend on it alone. */
function base64Of(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), secret]).toString("base64url");
    const form = padded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + secret.length) * 8) / 6));
    return [form, form.replaceAll("-", "+").replaceAll("_", "/")];
  });
}
