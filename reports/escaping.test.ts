import fc from "fast-check";
import { expect, test } from "vitest";
import { plainLine, shorten } from "../lib/text.ts";
import { md, table } from "./markdown-syntax.ts";
import { formatInstant, formatNumber, formatShare, formatValue } from "./numbers.ts";
import { escapeHtml, html } from "./page/html-template.ts";
import { columns } from "./terminal-text.ts";
import { junit, xmlText } from "./xml.ts";

fc.configureGlobal({ seed: 1 });

const NASTY = [
  "<",
  ">",
  "&",
  '"',
  "'",
  "]]>",
  "\u0000",
  "\u0008",
  "\u001b[31m",
  "\u0085",
  "\u2028",
  "\ud800",
  "\udc00",
  "\ufffe",
  "😀",
  "\r\n",
  "\t",
  "</script>",
  "|",
  "`",
  "\u202e",
];
const anyText = fc
  .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...NASTY)), { maxLength: 12 })
  .map((parts) => parts.join(""));

/** Reads entities back. */
const decode = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

test("XML of any text is of characters that XML allows, holds no markup and reads back", () => {
  const allowed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
  fc.assert(
    fc.property(anyText, (text) => {
      const written = xmlText(text);
      expect(written).toMatch(allowed);
      expect(written).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot|#\d+);)/);
      const kept = [...text].map((character) => (allowed.test(character) ? character : "\ufffd")).join("");
      expect(decode(written)).toBe(kept);
    }),
  );
});

test("JUnit XML of any names and messages is well formed", () => {
  const element = /<\?xml [^<>]*\?>|<\/?[a-z-]+(?: [a-z]+="[^"<>]*")*\/?>|[^<>]+/gy;
  fc.assert(
    fc.property(anyText, anyText, anyText, (suite, name, message) => {
      const xml = junit(suite, name, [
        { group: suite, name, problem: { kind: "failure", message } },
        { group: suite, name, output: message || "x" },
      ]);
      const tokens = xml.match(element) ?? [];
      expect(tokens.join("")).toBe(xml);
      const open: string[] = [];
      for (const [, slash, tag = "", end] of tokens.flatMap((token) => [
        ...token.matchAll(/^<(\/?)([a-z-]+)[\s\S]*?(\/?)>$/g),
      ])) {
        if (slash) expect(open.pop()).toBe(tag);
        else if (!end) open.push(tag);
      }
      expect(open).toEqual([]);
    }),
  );
});

test("HTML of any text holds no markup and reads back, without controls", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const written = escapeHtml(text);
      expect(written).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      expect(written).not.toMatch(/(?![\n\t])\p{Cc}|[\u202e\u2028]|\p{Cs}/u);
      const seen = decode(written);
      expect(seen.replaceAll("\ufffd", "")).toBe(
        text
          .replace(/\r\n?/g, "\n")
          .replace(/(?![\t\n])[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/gu, ""),
      );
    }),
  );
});

test("a template escapes what is put into it, and only that", () => {
  expect(html`<p title="${'"'}">${"<b>"}${html`<i>${1}</i>`}${[html`<u></u>`]}${undefined}</p>`.text).toBe(
    '<p title="&quot;">&lt;b&gt;<i>1</i><u></u></p>',
  );
});

test("a line for a terminal is one line without controls", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(plainLine(text)).not.toMatch(/\p{Cc}|\p{Cs}|[\u202e\u2028]/u);
    }),
  );
});

test("a Markdown cell of any text neither ends its cell nor is markup", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(md(text)).not.toMatch(/[\n|<>`*[\]]|:\/\/|(?:^|[^a-z0-9])_|_(?:[^a-z0-9]|$)/i);
      expect(table(["a"], [[md(text)]]).split("\n")).toHaveLength(3);
    }),
  );
});

test("a text that is cut is not cut within a character", () => {
  expect(shorten("abc😀def", 5)).toBe("abc…");
  expect(shorten("abc", 3)).toBe("abc");
});

test("columns align, numbers to the right", () => {
  expect(
    columns(
      [
        ["a", "1"],
        ["bcd", "22"],
      ],
      new Set([1]),
    ),
  ).toEqual(["a     1", "bcd  22"]);
});

test.each([
  [formatNumber(0), "0"],
  [formatNumber(1_234_567), "1,234,567"],
  [formatNumber(12.345), "12.35"],
  [formatNumber(0.1234), "0.123"],
  [formatValue(105, "ms"), "105.0 ms"],
  [formatValue(3, "count"), "3"],
  [formatShare(0), "0%"],
  [formatShare(1), "100%"],
  [formatShare(0.0001), "<0.1%"],
  [formatShare(0.9999), ">99.9%"],
  [formatShare(0.15), "15%"],
  [formatInstant("2026-01-02T03:04:05.678901Z"), "2026-01-02 03:04:05 UTC"],
])("writes %s", (written, expected) => {
  expect(written).toBe(expected);
});

test.each([
  ["@org/team and @x", /@[a-z0-9]/i],
  ["fixes #1 and team/repo#22", /#\d/],
  ["&#64;org", /@[a-z0-9]/i],
])("Markdown of %j mentions nothing once it is rendered, where sites look for mentions", (text, mention) => {
  const rendered = decode(md(text));
  expect(rendered).not.toMatch(mention);
  expect(rendered.replaceAll("\u200b", "")).toBe(text);
});

test.each(["see www.evil.example", "see http://evil.example"])("Markdown of %j has no address in it", (text) => {
  expect(md(text)).not.toMatch(/www\.|:\/\//);
  expect(decode(md(text))).toBe(text);
});
