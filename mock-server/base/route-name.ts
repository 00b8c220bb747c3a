/** The routes of the service, by the names under which the mock counts, breaks and records them. */

export const ROUTES = ["chat", "chat.stream", "embeddings", "video.submit", "video.poll", "video.cancel"] as const;
export type RouteName = (typeof ROUTES)[number];
