/**
 * What a scenario of your own can use: a `.ts` or `.js` file that `assay load` takes in place of a name. A scenario of
 * two requests with a pause between them:
 *
 * ```ts
 * import { chat, loadShape, paced, pause, promptFor, streamChat } from "@assay-load/assay/scenarios";
 *
 * export const options = loadShape("ask-twice");
 *
 * export default paced((arrival) => {
 *   chat(promptFor(arrival));
 *   pause(200);
 *   streamChat(promptFor(arrival, 1));
 * });
 * ```
 *
 * The shape of the load (rate, duration, warm-up) stays with the settings.
 */

/// <reference path="./k6-x-assay.d.ts" preserve="true" />

export { type Arrival, pause, type Reply } from "k6/x/assay";
export type { Message, Prompt } from "../load/inputs/prompts.ts";
export { draw, isChosen } from "../load/inputs/random.ts";
export { settings } from "./environment.ts";
export { promptFor, promptsFor } from "./inputs.ts";
export { loadShape, paced } from "./load-shape.ts";
export { chat } from "./steps/chat.ts";
export { batchSize, embed } from "./steps/embed.ts";
export { endpoint, type OwnEndpoint } from "./steps/endpoint.ts";
export { cancelOpenTasks, generateVideo } from "./steps/generate-video.ts";
export { streamChat } from "./steps/stream-chat.ts";
export { cancelVideo, pollVideo, submitVideo } from "./steps/video.ts";
