/** One video task per arrival: submitted, polled to its end or cancelled; a run leaves no task open. */
import { promptFor } from "./inputs.ts";
import { loadShape, paced } from "./load-shape.ts";
import { cancelOpenTasks, generateVideo } from "./steps/generate-video.ts";

export const options = loadShape("video");

export default paced((arrival) => {
  generateVideo(arrival, promptFor(arrival));
});

export const teardown = cancelOpenTasks;
