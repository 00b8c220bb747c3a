/**
 * Amounts of money as whole numbers, whose sums are exact in any order: of a millionth of a millionth of the currency, of which a price
 * per million tokens is a whole number per token. Pure.
 */

import { PRICE_DECIMALS, type UnitPrices } from "../../../settings/load/prices.ts";

const MILLION = 1_000_000n;

/** What is charged for. */
export interface Usage {
  readonly requests?: number;
  /** With those that a cache had. */
  readonly inputTokens?: number;
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
  /** Seconds of videos of one resolution. */
  readonly video?: { readonly seconds: number; readonly resolution: string };
}

/** A price, or another amount in the currency, in millionths. */
const millionths = (price = 0): bigint => BigInt(Math.round(price * 10 ** PRICE_DECIMALS));

const whole = (count = 0): bigint => BigInt(Math.round(count));

/** The price of a second of a video; undefined where there is none. */
export function videoPrice({ "video-second": price }: UnitPrices, resolution: string): number | undefined {
  return typeof price === "object" ? price[resolution] : price;
}

/** What something costs. */
export function amountOf(prices: UnitPrices, usage: Usage): bigint {
  const { requests, inputTokens, cachedTokens, outputTokens, video } = usage;
  const { input, cached = input, output, request } = prices;
  const perSecond = video && videoPrice(prices, video.resolution);
  return (
    (whole(inputTokens) - whole(cachedTokens)) * millionths(input) +
    whole(cachedTokens) * millionths(cached) +
    whole(outputTokens) * millionths(output) +
    (whole(requests) * millionths(request) + whole(video?.seconds) * millionths(perSecond)) * MILLION
  );
}

/** An amount in the currency. */
export const inCurrency = (amount: bigint): number => Number(amount) / 1e12;

/** A number of the currency as an amount, rounded to a millionth. */
export const amountIn = (value: number): bigint => millionths(value) * MILLION;
