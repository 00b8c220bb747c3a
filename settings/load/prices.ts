/** What requests cost, as a price list states it. Pure: runs in Node and inside k6. */

import { VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import { describe, isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { didYouMean } from "../nearest.ts";
import { UsageError } from "../usage-error.ts";

/** Prices in the currency of the list; an absent one is nothing. */
export interface UnitPrices {
  /** Per million input tokens, and per million of those that a cache had, which else cost as any. */
  readonly input?: number;
  readonly cached?: number;
  /** Per million output tokens. */
  readonly output?: number;
  readonly request?: number;
  /** Per second of a completed video, or that by resolution. */
  readonly "video-second"?: number | Readonly<Record<string, number>>;
}

export interface Prices extends UnitPrices {
  /** Its name, such as EUR; absent: the list does not say. */
  readonly currency?: string;
  /** What differs for models. */
  readonly models?: Readonly<Record<string, UnitPrices>>;
}

const AMOUNTS = ["input", "cached", "output", "request"] as const;
const VIDEO_SECOND = "video-second";
const OF_MODELS = [...AMOUNTS, VIDEO_SECOND];

/** Decimals that a price may have: with them, amounts are whole numbers. */
export const PRICE_DECIMALS = 6;
const HIGHEST = 1_000_000;

const EXAMPLE = 'write it such as {"currency":"EUR","input":0.15,"output":0.6}';

/**
 * Reads the setting: a text that begins like a JSON value is one, any other is the name of a file.
 * @throws UsageError as `pricesIn` does
 */
export function readPrices(text: string): Prices | string {
  if (!/^\s*[[{"]/.test(text)) return text;
  const value = parseJson(text);
  if (value === undefined) throw new UsageError(`it is not valid JSON; ${EXAMPLE}`);
  return pricesIn(value);
}

export const formatPrices = (given: Prices | string): string =>
  typeof given === "string" ? given : JSON.stringify(given);

/**
 * Reads a list of prices.
 * @throws UsageError that names the member which is wrong
 */
export function pricesIn(value: unknown): Prices {
  if (!isObject(value)) throw new UsageError(`it is ${describe(value)}, where prices were expected; ${EXAMPLE}`);
  const { currency, models, ...common } = value;
  const base = unitPrices(common, "", ["currency", ...OF_MODELS, "models"]);
  const prices = {
    ...(currency !== undefined && { currency: currencyIn(currency) }),
    ...base,
    ...(models !== undefined && { models: ofModels(models) }),
  };
  if (![base, ...Object.values(prices.models ?? {})].some((each) => Object.keys(each).length > 0)) {
    throw new UsageError(`it has no price; ${EXAMPLE}`);
  }
  return prices;
}

function currencyIn(value: unknown): string {
  if (typeof value === "string" && /^[A-Za-z$\u00a2-\u024f\u20a0-\u20cf]{1,12}$/.test(value)) return value;
  throw new UsageError(`currency is ${describe(value)}, where a name such as EUR was expected`);
}

function ofModels(value: unknown): Record<string, UnitPrices> {
  if (!isObject(value)) throw new UsageError(`models is ${describe(value)}, where prices by model were expected`);
  return Object.fromEntries(
    Object.entries(value).map(([model, prices]) => {
      if (isObject(prices)) return [model, unitPrices(prices, `models.${model}.`, OF_MODELS)];
      throw new UsageError(`models.${model} is ${describe(prices)}, where prices were expected`);
    }),
  );
}

/** @param path of the members, which errors name @param known names of members */
function unitPrices(given: UnknownObject, path: string, known: readonly string[]): UnitPrices {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`"${path}${unknown}" is not a price. ${didYouMean(unknown, known, "Known members")}`);
  }
  const { [VIDEO_SECOND]: video } = given;
  return {
    ...Object.fromEntries(
      AMOUNTS.flatMap((name) => (given[name] === undefined ? [] : [[name, priceIn(given[name], path + name)]])),
    ),
    ...(video !== undefined && { [VIDEO_SECOND]: videoPrices(video, path + VIDEO_SECOND) }),
  };
}

function videoPrices(given: unknown, path: string): number | Record<string, number> {
  if (!isObject(given)) return priceIn(given, path);
  const known: readonly string[] = VIDEO_RESOLUTIONS;
  return Object.fromEntries(
    Object.entries(given).map(([resolution, price]) => {
      if (known.includes(resolution)) return [resolution, priceIn(price, `${path}.${resolution}`)];
      throw new UsageError(
        `"${path}.${resolution}" is not a resolution. ${didYouMean(resolution, known, "Resolutions")}`,
      );
    }),
  );
}

function priceIn(value: unknown, path: string): number {
  if (typeof value !== "number" || !(value >= 0) || value > HIGHEST) {
    throw new UsageError(`${path} is ${describe(value)}, where a price from 0 to ${HIGHEST} was expected`);
  }
  if (Number(value.toFixed(PRICE_DECIMALS)) === value) return value;
  throw new UsageError(`${path} is ${value}, and a price has ${PRICE_DECIMALS} decimals at most`);
}

/** The prices of a model. */
export const pricesOf = ({ currency: _, models = {}, ...common }: Prices, model = ""): UnitPrices => ({
  ...common,
  ...models[model],
});
