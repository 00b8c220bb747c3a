/** The loads of a search in words. Pure. */

import type { SearchResult } from "../../formats/search.ts";
import { formatNumber, plural } from "../numbers.ts";

/** `19.8/s` or `12 users`. */
export const formatLoad = (load: number, unit: SearchResult["unit"]): string =>
  unit === "vus"
    ? plural(load, "user")
    : `${Number(load.toPrecision(4)) >= 1_000 ? formatNumber(load) : Number(load.toPrecision(4))}/s`;
