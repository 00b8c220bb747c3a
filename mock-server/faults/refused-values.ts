/** A family: each value that the document allows is refused. */

import { ENCODING_FORMATS, VIDEO_ASPECT_RATIOS, VIDEO_DURATIONS, VIDEO_RESOLUTIONS } from "../../contract/service.ts";
import type { RouteName } from "../base/route-name.ts";
import { changeField, type FieldName } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

const refusing = (
  stem: string,
  route: RouteName,
  clause: string,
  field: FieldName,
  values: readonly (string | number)[],
) =>
  values.map((value) =>
    fault({
      name: `${stem}-${String(value).replace(":", "-")}-refused`,
      about: `${value} is refused by ${route}`,
      breaks: [`${clause}.${value}`],
      route,
      rules: changeField(field, { values: values.filter((other) => other !== value) }),
    }),
  );

const SUBMIT = "video.submit";
export default [
  ...refusing("duration", SUBMIT, `${SUBMIT}.duration`, "videos.duration", VIDEO_DURATIONS),
  ...refusing("resolution", SUBMIT, `${SUBMIT}.resolution`, "videos.resolution", VIDEO_RESOLUTIONS),
  ...refusing("aspect-ratio", SUBMIT, `${SUBMIT}.aspect_ratio`, "videos.aspect_ratio", VIDEO_ASPECT_RATIOS),
  ...refusing("encoding", "embeddings", "embeddings.encoding_format", "embeddings.encoding_format", ENCODING_FORMATS),
];
