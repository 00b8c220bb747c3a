/** A family of what a whole route can do wrong: say that JSON is text, refuse everything, fail at invalid requests. */

import type { RouteName } from "../base/route-name.ts";
import { refused, served } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

interface Area {
  readonly prefix: string;
  readonly route: RouteName;
  readonly contentType: string;
  /** The clause that sees every request refused. */
  readonly minimal?: string;
  /** The clause that sees a server error for an invalid request. */
  readonly invalid?: string;
}

const AREAS: readonly Area[] = [
  {
    prefix: "chat",
    route: "chat",
    contentType: "chat.response.content-type",
    minimal: "chat.minimal",
    invalid: "chat.refusal.not-5xx",
  },
  {
    prefix: "embeddings",
    route: "embeddings",
    contentType: "embeddings.response.content-type",
    minimal: "embeddings.minimal",
    invalid: "embeddings.refusal.not-5xx",
  },
  {
    prefix: "video-submit",
    route: "video.submit",
    contentType: "video.submit.content-type",
    minimal: "video.submit.minimal",
  },
  { prefix: "video", route: "video.submit", contentType: "", invalid: "video.submit.refusal.not-5xx" },
  { prefix: "video-poll", route: "video.poll", contentType: "video.poll.content-type" },
  {
    prefix: "video-cancel",
    route: "video.cancel",
    contentType: "video.cancel.content-type",
    minimal: "video.cancel.works",
  },
];

const textual = ({ prefix, route, contentType }: Area) =>
  contentType === ""
    ? []
    : [
        fault({
          name: `${prefix}-content-type-text`,
          about: `${route} says that its JSON is text/plain`,
          breaks: [contentType],
          route,
          transform: (response) => ({ ...response, headers: { ...response.headers, "content-type": "text/plain" } }),
        }),
      ];

const refusing = ({ prefix, route, minimal }: Area) =>
  minimal === undefined
    ? []
    : [
        fault({
          name: `${prefix}-refused`,
          about: `${route} refuses everything with 400`,
          breaks: [minimal],
          route,
          rules: (rules) => ({ ...rules, cancellable: [] }),
          transform: () => refused("refused"),
        }),
      ];

const failing = ({ prefix, route, invalid }: Area) =>
  invalid === undefined
    ? []
    : [
        fault({
          name: `${prefix}-invalid-500`,
          about: `${route} answers an invalid request with 500`,
          breaks: [invalid],
          route,
          transform: (response) => (served(response) ? response : { ...response, status: 500 }),
        }),
      ];

export default AREAS.flatMap((area) => [...textual(area), ...refusing(area), ...failing(area)]);
