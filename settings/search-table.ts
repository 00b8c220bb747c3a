/** What a search for the highest load tries, and what it may cost. Not imported by k6 code. */

import { inGroup, settingFor } from "./setting.ts";
import { COUNT, DURATION, RATE, SHARE } from "./values.ts";

const search = settingFor("search");

/** By which factors the range of a search reaches up and down from the first load, unless something else is said. */
export const SEARCH_RANGE = { up: 64, down: 16 } as const;

export const SEARCH_SETTINGS = {
  ...inGroup("Search", {
    tolerance: search(
      SHARE,
      "resolution of the limit: distance between the highest load that meets the objectives and the lowest that does not",
      {
        default: "2.5%",
      },
    ),
    probeDuration: search(
      DURATION,
      "measured time of the short runs, at most --duration; longer if one could not decide a latency",
      { default: "20s" },
    ),
  }),
  ...inGroup("Limits", {
    max: search(RATE, "highest rate to try, or number of virtual users with --vus", {
      defaultNote: `${SEARCH_RANGE.up} times the first`,
      takenFor: "maxRate",
    }),
    maxRuns: search(COUNT, "end after this many runs", { default: "30" }),
    maxArrivals: search(COUNT, "end the search before a run that would exceed this number of arrivals in all", {
      defaultNote: "unlimited",
    }),
  }),
};
