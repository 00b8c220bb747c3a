/** Requests of every kind at once, by weight (`mix`): the load of a deployment that serves all of them. */
import type { Arrival } from "k6/x/assay";
import type { Part } from "../formats/outcomes.ts";
import { settings } from "./environment.ts";
import { promptFor, promptsFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { partOfArrival } from "./random.ts";
import { chat } from "./steps/chat.ts";
import { batchSize, embed } from "./steps/embed.ts";
import { cancelOpenTasks, generateVideo } from "./steps/generate-video.ts";
import { streamChat } from "./steps/stream-chat.ts";

export const options = loadShape("mixed");

const users: Readonly<Record<Part, (arrival: Arrival) => void>> = {
  "chat-stream": (arrival) => void streamChat(promptFor(arrival)),
  chat: (arrival) => void chat(promptFor(arrival)),
  embeddings: (arrival) => void embed(promptsFor(arrival, batchSize(arrival))),
  video: (arrival) => generateVideo(arrival, promptFor(arrival)),
};

export default paced((arrival) => {
  users[partOfArrival(settings.mix, settings.seed, arrival.index)](arrival);
});

export const teardown = cancelOpenTasks;
