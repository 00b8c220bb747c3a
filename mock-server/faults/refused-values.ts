/** A family: each value that the document allows is refused. */

import { ENCODING_FORMATS, VIDEO_ASPECT_RATIOS, VIDEO_DURATIONS, VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import type { RouteName } from "../base/route-name.ts";
import type { Rules } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

function refusing<T extends string | number>(
  stem: string,
  route: RouteName,
  clause: string,
  values: readonly T[],
  rule: (rules: Rules, left: readonly T[]) => Rules,
) {
  return values.map((value) =>
    fault({
      name: `${stem}-${String(value).replace(":", "-")}-refused`,
      about: `${value} is refused by ${route}`,
      breaks: [`${clause}.${value}`],
      route,
      rules: (rules) =>
        rule(
          rules,
          values.filter((other) => other !== value),
        ),
    }),
  );
}

export default [
  ...refusing("duration", "video.submit", "video.submit.duration", VIDEO_DURATIONS, (rules, durations) => ({
    ...rules,
    durations,
  })),
  ...refusing("resolution", "video.submit", "video.submit.resolution", VIDEO_RESOLUTIONS, (rules, resolutions) => ({
    ...rules,
    resolutions,
  })),
  ...refusing("aspect-ratio", "video.submit", "video.submit.aspect_ratio", VIDEO_ASPECT_RATIOS, (rules, ratios) => ({
    ...rules,
    aspectRatios: ratios,
  })),
  ...refusing("encoding", "embeddings", "embeddings.encoding_format", ENCODING_FORMATS, (rules, formats) => ({
    ...rules,
    encodingFormats: formats,
  })),
];
