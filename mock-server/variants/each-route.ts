/** The same faults for each route: another success status, a wrong content type, every request refused, a server error. */

import type { RouteName } from "../base/route-name.ts";
import { isSuccess, refused, successStatus } from "./transforms.ts";
import type { Fault } from "./variant.ts";

const SUCCESSES: readonly { readonly prefix: string; readonly route: RouteName; readonly other: number }[] = [
  { prefix: "chat", route: "chat", other: 201 },
  { prefix: "embeddings", route: "embeddings", other: 201 },
  { prefix: "video-submit", route: "video.submit", other: 200 },
  { prefix: "video-poll", route: "video.poll", other: 201 },
  { prefix: "video-cancel", route: "video.cancel", other: 202 },
];

/** Routes whose body can be invalid. */
const VALIDATED = [
  { prefix: "chat", route: "chat" },
  { prefix: "embeddings", route: "embeddings" },
  { prefix: "video", route: "video.submit" },
] as const;

export const eachRoute: readonly Fault[] = [
  ...SUCCESSES.flatMap(({ prefix, route, other }): readonly Fault[] => [
    {
      name: `${prefix}-${other}`,
      kind: "fault",
      about: `a successful response of ${route} has the status ${other}`,
      route,
      transform: successStatus(other),
    },
    {
      name: `${prefix}-content-type-text`,
      kind: "fault",
      about: `a response of ${route} has the content type text/plain`,
      route,
      transform: (response) => ({ ...response, headers: { ...response.headers, "content-type": "text/plain" } }),
    },
  ]),
  ...SUCCESSES.filter(({ route }) => route !== "video.poll").map(
    ({ prefix, route }): Fault => ({
      name: `${prefix}-refused`,
      kind: "fault",
      about: `${route} refuses every request with 400`,
      route,
      rules: { cancellable: [] },
      transform: () => refused("refused"),
    }),
  ),
  ...VALIDATED.map(
    ({ prefix, route }): Fault => ({
      name: `${prefix}-invalid-500`,
      kind: "fault",
      about: `${route} returns 500 to an invalid request`,
      route,
      transform: (response) => (isSuccess(response) ? response : { ...response, status: 500 }),
    }),
  ),
];
