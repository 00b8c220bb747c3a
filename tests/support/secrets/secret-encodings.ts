/** A secret in every encoding in which a target could repeat it. Written apart from the redactor, which must find them. */

import { gzipSync } from "node:zlib";

/** Allowed in a header, and escaped by JSON, addresses, HTML and Markdown. */
export const CANARY = `sk-Qz7&w"9<v>\\4/k+Tp=2_Xa`;

const hex = (code: number, size: number): string => code.toString(16).padStart(size, "0");
const each = (secret: string, encode: (character: string, index: number) => string): string =>
  [...secret].map(encode).join("");
const some =
  (encode: (character: string) => string) =>
  (character: string, index: number): string =>
    index % 3 === 1 ? encode(character) : character;

const percent = (character: string): string => `%${hex(character.charCodeAt(0), 2)}`;
const json = (character: string): string => `\\u${hex(character.charCodeAt(0), 4)}`;
const decimal = (character: string): string => `&#${character.charCodeAt(0)};`;
const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  '"': "&quot;",
  "<": "&lt;",
  ">": "&gt;",
  "\\": "&bsol;",
  "/": "&sol;",
  "+": "&plus;",
  "=": "&equals;",
  _: "&lowbar;",
};

/** The encodings by name. */
export function encodingsOf(secret: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset, "x"), bytes, Buffer.from("yz")]);
    return [
      [`base64 at offset ${offset}`, padded.toString("base64")],
      [`base64url at offset ${offset}`, padded.toString("base64url")],
      [`base64 at offset ${offset} in an address`, encodeURIComponent(padded.toString("base64"))],
    ];
  });
  return {
    raw: secret,
    "upper case": secret.toUpperCase(),
    ...Object.fromEntries(base64),
    "address, as encodeURIComponent": encodeURIComponent(secret),
    "address, all of it, lower case": each(secret, percent),
    "address, all of it, upper case": each(secret, percent).toUpperCase(),
    "address, a part of it": each(secret, some(percent)),
    "address within an address": encodeURIComponent(encodeURIComponent(secret)),
    "JSON, as JSON.stringify": JSON.stringify(secret),
    "JSON, all of it, lower case": each(secret, json),
    "JSON, all of it, upper case": each(secret, (character) => `\\u${hex(character.charCodeAt(0), 4).toUpperCase()}`),
    "JSON, a part of it": each(secret, some(json)),
    "JSON within JSON": JSON.stringify(JSON.stringify(secret)),
    "source code": each(secret, (character) => `\\x${hex(character.charCodeAt(0), 2)}`),
    "HTML, named": each(secret, (character) => HTML[character] ?? character),
    "HTML, decimal": each(secret, decimal),
    "HTML, hexadecimal": each(secret, (character) => `&#x${hex(character.charCodeAt(0), 2)};`),
    "HTML, hexadecimal, upper case, zeros in front": each(
      secret,
      (character) => `&#X00${hex(character.charCodeAt(0), 2).toUpperCase()};`,
    ),
    "HTML, a part of it": each(secret, some(decimal)),
    "HTML within HTML": each(secret, (character) => (HTML[character] ?? character).replace("&", "&amp;")),
    Markdown: secret.replace(/[!-/:-@[-`{-~]/g, "\\$&"),
    "hexadecimal, lower case": bytes.toString("hex"),
    "hexadecimal, upper case": bytes.toString("hex").toUpperCase(),
    "gzip in base64": gzipSync(`<${secret}>`).toString("base64"),
  };
}
