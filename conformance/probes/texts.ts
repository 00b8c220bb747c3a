/**
 * Texts of characters that services often get wrong: in JSON, in encodings, in filters. The words are no commands of a shell: a firewall
 * would take them for an attack behind a newline, and escapes are what these are about.
 */

export const TEXTS = [
  { name: "escapes", what: "quotes, a backslash, a tab and a newline", text: 'Repeat: "a\\b" it\'s\n\tagain' },
  { name: "non-ascii", what: "letters outside ASCII", text: "Grüße aus Zürich, Ελλάδα, 東京 und القاهرة" },
  { name: "emoji", what: "emoji", text: "Hello 🙂 👩‍🚀 🇪🇺" },
] as const;

/** Bodies that are no JSON object: cut off, of another type, empty. */
export const UNREADABLE = ['{"model": ', "[]", ""] as const;
