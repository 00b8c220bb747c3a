/** One video a user: submitted, polled to its end or cancelled on the way; nothing is left behind. */
import { promptFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { cancelOpenTasks, generateVideo } from "./steps/generate-video.ts";

export const options = loadShape("video");

export default paced((arrival) => {
  generateVideo(arrival, promptFor(arrival));
});

export const teardown = cancelOpenTasks;
