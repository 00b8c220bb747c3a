/**
 * A report page in short: its headings, texts, tables with the names of their columns and rows, and charts with their keys.
 * What stands in the cells is tested where a report is text.
 */

interface Element {
  readonly tag: string;
  readonly kind: string;
  readonly children: (Element | string)[];
}

/** Elements whose end may be left out: the next one of a group ends them, and so does the end of what they are in. */
const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  td: ["td", "th", "tr", "tbody"],
  th: ["td", "th", "tr", "tbody"],
  tr: ["tr", "tbody"],
  thead: ["tbody"],
  tbody: ["tbody"],
};
const EMPTY = ["meta", "br", "wbr", "col", "input", "path", "rect", "line", "circle", "polyline", "hr"];
const WITHIN_TEXT = ["a", "b", "br", "wbr", "button", "code", "em", "i", "kbd", "small", "span", "strong"];
const LONGEST_TEXT = 160;
const MOST_ROWS = 40;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const plain = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name = "") =>
    code === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(code)),
  );

/** @throws Error where an element is not ended, or one ends that did not begin */
function parse(page: string): Element {
  const root: Element = { tag: "page", kind: "", children: [] };
  const open = [root];
  const top = (): Element => open.at(-1) ?? root;
  const ofPage = page.replace(/<!doctype html>|<(style|script)\b[\s\S]*?<\/\1>/g, "");
  for (const token of ofPage.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|[^>"])*)>|([^<]+)/g)) {
    const [, end, tag, attributes = "", text] = token;
    if (text !== undefined) top().children.push(plain(text));
    if (tag === undefined) continue;
    if (end === "/") {
      while (top().tag !== tag && top().tag in ENDED_BY) open.pop();
      if (open.pop()?.tag !== tag)
        throw new Error(
          `</${tag}> ends what did not begin: ${ofPage.slice(Math.max(0, token.index - 80), token.index)}`,
        );
      continue;
    }
    while (ENDED_BY[top().tag]?.includes(tag)) open.pop();
    const element = { tag, kind: /class="([^"]*)"/.exec(attributes)?.[1] ?? "", children: [] };
    top().children.push(element);
    if (!EMPTY.includes(tag) && !attributes.endsWith("/")) open.push(element);
  }
  if (open.length !== 1) throw new Error(`<${top().tag}> does not end`);
  return root;
}

const elementsOf = (element: Element): Element[] => element.children.filter((child) => typeof child !== "string");

const all = (element: Element, ...tags: readonly string[]): Element[] =>
  elementsOf(element).flatMap((child) => (tags.includes(child.tag) ? [child] : all(child, ...tags)));

const rawText = (element: Element | string): string =>
  typeof element === "string"
    ? element
    : element.children.map(rawText).join(WITHIN_TEXT.includes(element.tag) ? "" : " ");

function textOf(element: Element | string, longest = LONGEST_TEXT): string {
  const text = rawText(element).replace(/\s+/g, " ").trim();
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const listed = (elements: readonly Element[]): string => elements.map((each) => textOf(each) || "-").join(" | ");

function tableLines(table: Element): string[] {
  const rows = all(table, "tr");
  const [head, ...others] = rows;
  const names = others.map((row) => textOf(all(row, "th", "td")[0] ?? "", 60));
  const more = names.length > MOST_ROWS ? `; and ${names.length - MOST_ROWS} more` : "";
  return [
    `table${table.kind === "" ? "" : ` (${table.kind})`}: ${head === undefined ? "" : listed(all(head, "th", "td"))}`,
    `  ${others.length} rows: ${names.slice(0, MOST_ROWS).join("; ")}${more}`,
  ];
}

function chartLines(figure: Element): string[] {
  const keys = all(figure, "div").filter(({ kind }) => kind.startsWith("legend"));
  const details = all(figure, "details").length;
  return [
    `chart: ${all(figure, "figcaption")
      .map((caption) => textOf(caption))
      .join("; ")}`,
    ...keys.flatMap((legend) => `  keys: ${listed(elementsOf(legend))}`),
    `  ${all(figure, "svg").length} drawings, ${details} tables, ${all(figure, "tr").length} rows`,
  ];
}

function linesOf(element: Element): string[] {
  const { tag, kind } = element;
  const level = /^h([1-6])$/.exec(tag)?.[1];
  if (level !== undefined) return [`${"#".repeat(Number(level))} ${textOf(element)}`];
  if (tag === "table") return tableLines(element);
  if (tag === "figure") return chartLines(element);
  if (tag === "svg") return [];
  if (tag === "dl") return [`facts: ${listed(all(element, "dt"))}`];
  if (tag === "ul" || tag === "ol") return all(element, "li").map((item) => `- ${textOf(item)}`);
  if (tag === "select") return [`one of: ${listed(all(element, "option"))}`];
  if (kind === "tile") return [`tile: ${listed(elementsOf(element))}`];
  if (tag === "summary") return [`+ ${textOf(element)}`];
  if (elementsOf(element).every((child) => WITHIN_TEXT.includes(child.tag))) {
    const text = textOf(element);
    return text === "" ? [] : [kind === "" ? text : `(${kind}) ${text}`];
  }
  const inner = element.children.flatMap((child) => (typeof child === "string" ? textOf(child) || [] : linesOf(child)));
  return tag === "details" || tag === "section"
    ? inner.map((line, index) => (index === 0 ? line : `  ${line}`))
    : inner;
}

/** One line per heading, text, table and chart of a page. @throws Error where its elements are not nested as they should */
export const pageOutline = (page: string): string => `${linesOf(parse(page)).join("\n")}\n`;
