/** The same faults for each route: another success status, a wrong content type, every request refused, a server error. */

import type { RouteName } from "../base/route-name.ts";
import { isSuccess, refused, successStatus } from "./transforms.ts";
import { type Fault, fault } from "./variant.ts";

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
    fault(`${prefix}-${other}`, route, `a successful response of ${route} has the status ${other}`, {
      transform: successStatus(other),
    }),
    fault(`${prefix}-content-type-text`, route, `a response of ${route} has the content type text/plain`, {
      transform: (response) => ({ ...response, headers: { ...response.headers, "content-type": "text/plain" } }),
    }),
  ]),
  ...SUCCESSES.filter(({ route }) => route !== "video.poll").map(
    ({ prefix, route }): Fault =>
      fault(`${prefix}-refused`, route, `${route} refuses every request with 400`, {
        rules: { cancellable: [] },
        transform: () => refused("refused"),
      }),
  ),
  ...VALIDATED.map(
    ({ prefix, route }): Fault =>
      fault(`${prefix}-invalid-500`, route, `${route} returns 500 to an invalid request`, {
        transform: (response) => (isSuccess(response) ? response : { ...response, status: 500 }),
      }),
  ),
];
