/** Bodies of exchanges as a page shows them, and the numbers of exchanges in a sentence as links. Pure. */

import { type Html, html } from "../page/html-template.ts";
import type { ExchangesById } from "./conformance-result.ts";

/** Numbers of a vector that are shown; the others are counted. */
const SHOWN_NUMBERS = 8;

/** A text whose lists of many numbers, such as embeddings, are cut to the first few. */
export const cutVectors = (text: string): string =>
  text.replace(/\[[-+.,\deE\s]{16,}\]?/g, (list) => {
    const numbers = list.replace(/[[\]]/g, "").split(",");
    if (numbers.length <= SHOWN_NUMBERS) return list;
    const more = numbers.length - SHOWN_NUMBERS;
    // A list without an end was cut when the body was read.
    const rest = list.endsWith("]") ? `${more} more]` : "more";
    return `[${numbers.slice(0, SHOWN_NUMBERS).join(",")}, … ${rest}`;
  });

/** The anchor of an exchange within a page. */
export const exchangeAnchor = (number: number): string => `exchange-${number}`;

/** A number of an exchange, as a link where its page has the exchange. @param href the page; empty: the one that links */
export const exchangeLink = (number: number, exchanges: ExchangesById, href = ""): Html =>
  exchanges.has(number) ? html`<a href="${href}#${exchangeAnchor(number)}">${number}</a>` : html`${number}`;

/** `exchanges 3, 4`, with links. */
export const exchangeLinks = (numbers: readonly number[], exchanges: ExchangesById, href = ""): Html =>
  html`exchange${numbers.length === 1 ? "" : "s"} ${numbers.map((number, index) => html`${index === 0 ? "" : ", "}${exchangeLink(number, exchanges, href)}`)}`;

/** A sentence whose numbers of exchanges are links. */
export function withExchangeLinks(sentence: string, exchanges: ExchangesById, href = ""): Html {
  const parts = sentence.split(/(\bexchanges? \d+(?:, \d+)*)/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : linked(part, exchanges, href)))}`;
}

const linked = (words: string, exchanges: ExchangesById, href: string): Html =>
  html`${words.split(/(\d+)/).map((part, index) => (index % 2 === 0 ? html`${part}` : exchangeLink(Number(part), exchanges, href)))}`;
