/** What a load will cost by its price list, before it starts. */

import { isWorkloadKind } from "../../contract/operations.ts";
import { VIDEO_DURATION_DEFAULT, VIDEO_RESOLUTION_DEFAULT } from "../../contract/service.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { amountOf, inCurrency, type Usage } from "../../reports/load/metrics/amounts.ts";
import { type ArrivalCost, costsOf } from "../../scenarios/scenario-list.ts";
import type { Choices } from "../../settings/choices.ts";
import { modelSettingsOf, parseModels, type WeightedModel } from "../../settings/load/models.ts";
import { type Prices, pricesOf } from "../../settings/load/prices.ts";
import { largestTokens } from "./drawn-lengths.ts";
import { costed, type Planned } from "./planned-arrivals.ts";

interface Priced extends Planned {
  readonly prices: Prices;
}

/** Amounts in the currency of the list. */
export interface PlannedCost {
  /** With inputs as they are estimated, a cache that has what is planned, and responses of max_tokens. */
  readonly expected: number;
  /** With nothing in a cache, and the longest response, the most turns, the dearest model and video for each arrival. */
  readonly largest: number;
}

/** What is chosen, and how often of all. */
type Share<T> = readonly [value: T, share: number];

function sharesOf<T extends string | number>(given: Choices<T> | undefined, otherwise: T): readonly Share<T>[] {
  if (given === undefined) return [[otherwise, 1]];
  const { values, weights = values.map(() => 1) } = given;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return values.map((value, index) => [value, (weights[index] ?? 0) / sum]);
}

/** Each kind of video of a workload, and how often. */
export const videosOf = ({
  videoDurations,
  videoResolutions,
}: Workload): readonly Share<NonNullable<Usage["video"]>>[] =>
  sharesOf<number>(videoDurations, VIDEO_DURATION_DEFAULT).flatMap(([seconds, share]) =>
    sharesOf<string>(videoResolutions, VIDEO_RESOLUTION_DEFAULT).map(
      ([resolution, of]) => [{ seconds, resolution }, share * of] as const,
    ),
  );

/** The models among which the arrivals of a workload are distributed; of a scenario that may send anything, those of chats. */
export function modelsOf(workload: Workload, scenario: string): readonly WeightedModel[] {
  const { operation = isWorkloadKind(scenario) ? scenario : "chat" } = workload;
  const [setting] = modelSettingsOf({ operation });
  return parseModels((setting && workload[setting]) ?? "");
}

/** What so many arrivals of a load cost. */
export function plannedCost({ prices, ...plan }: Priced, times: number): PlannedCost {
  const { scenario, settings } = plan;
  const means = costed(plan);
  const mosts = costsOf(scenario, longest(means, settings));
  let [expected, most] = [0, 0];
  for (const [index, cost] of costsOf(scenario, means).entries()) {
    const workload = settings.workloads[index];
    if (workload === undefined) continue;
    const cached = { cachedTokens: cost.inputTokens * (settings.plannedCached ?? 0) };
    const models = modelsOf(workload, scenario);
    const weights = models.reduce((sum, { weight }) => sum + weight, 0);
    const of = (usage: ArrivalCost & Pick<Usage, "cachedTokens">, model: string, video: Usage["video"]): number =>
      cost.share * amount({ prices, model, usage, video, times });
    const videos = cost.videoJobs > 0 ? videosOf(workload) : [[undefined, 1] as const];
    for (const { model, weight } of models) {
      for (const [video, share] of videos) {
        const completed = cost.videoJobs > 0 ? 1 - workload.cancelShare : 1;
        expected += of({ ...cost, ...cached }, model, video) * (weight / weights) * share * completed;
      }
    }
    const longest = mosts[index] ?? cost;
    most += Math.max(...models.flatMap(({ model }) => videos.map(([video]) => of(longest, model, video))));
  }
  return { expected, largest: Math.max(expected, most) };
}

type Means = ReturnType<typeof costed>;

/**
 * A load with the longest responses that are drawn, and the most turns.
 * @param given in their place; absent: those of each workload
 */
export function longest(means: Means, settings: LoadSettings, given?: Workload["turns"]): Means {
  const of = <T extends Pick<Workload, "turns">>(each: T, { maxTokens }: Pick<Workload, "maxTokens">) => {
    const turns = given ?? (each.turns && { min: each.turns.max, max: each.turns.max });
    return { ...each, maxTokens: largestTokens(maxTokens), ...(turns && { turns }) };
  };
  return {
    ...of(means, settings),
    workloads: means.workloads.map((each, index) => of(each, settings.workloads[index] ?? settings)),
  };
}

/** Arrivals of one model and video. */
interface Alike {
  readonly prices: Prices;
  readonly model: string;
  readonly usage: ArrivalCost & Pick<Usage, "cachedTokens">;
  readonly video: Usage["video"];
  readonly times: number;
}

/** The input tokens of a video are in the price of its seconds. */
function amount({ prices, model, usage, video, times }: Alike): number {
  const { requests, inputTokens, cachedTokens = 0, outputTokens } = usage;
  const tokens = {
    inputTokens: inputTokens * times,
    cachedTokens: cachedTokens * times,
    outputTokens: outputTokens * times,
  };
  return inCurrency(
    amountOf(pricesOf(prices, model), {
      requests: requests * times,
      ...(video === undefined ? tokens : { video: { ...video, seconds: video.seconds * times } }),
    }),
  );
}
