/** Finds the route of a method and a path. */

import { PATHS } from "../../contract/service.ts";
import type { RouteName } from "../base/route-name.ts";

export const CONTROL_PREFIX = "/_mock/";

export type Match =
  /** `chat` stands for both of its routes: the body says which. */
  | { readonly kind: "route"; readonly route: RouteName; readonly taskId: string; readonly hasBody: boolean }
  | { readonly kind: "video"; readonly taskId: string }
  | { readonly kind: "control"; readonly action: string }
  | { readonly kind: "wrong-method"; readonly allow: string }
  | { readonly kind: "unknown" };

const POSTS: ReadonlyMap<string, RouteName> = new Map([
  [PATHS.chat, "chat"],
  [PATHS.embeddings, "embeddings"],
  [PATHS.videos, "video.submit"],
]);

const VIDEO = /^\/videos\/([^/]+)\.mp4$/;
const TASK = /^\/([^/]+)(\/cancel)?$/;

/** Finds the route; the path carries no query. */
export function match(method: string, path: string): Match {
  if (path.startsWith(CONTROL_PREFIX)) return { kind: "control", action: path.slice(CONTROL_PREFIX.length) };
  const post = POSTS.get(path);
  if (post !== undefined) return when(method === "POST", "POST", post, "", true);
  const video = decoded(VIDEO.exec(path)?.[1]);
  if (video !== undefined) {
    const isRead = method === "GET" || method === "HEAD";
    return isRead ? { kind: "video", taskId: video } : { kind: "wrong-method", allow: "GET, HEAD" };
  }
  const task = path.startsWith(PATHS.videos) ? TASK.exec(path.slice(PATHS.videos.length)) : null;
  const taskId = decoded(task?.[1]);
  if (task === null || taskId === undefined) return { kind: "unknown" };
  if (task[2] === undefined) return when(method === "GET", "GET", "video.poll", taskId, false);
  return when(method === "POST", "POST", "video.cancel", taskId, false);
}

function when(allowed: boolean, allow: string, route: RouteName, taskId: string, hasBody: boolean): Match {
  return allowed ? { kind: "route", route, taskId, hasBody } : { kind: "wrong-method", allow };
}

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
