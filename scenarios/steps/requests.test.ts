import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import { firstCharacters, messagesOf, promptsIn } from "../../load/inputs/prompts.ts";
import { chatRequest, embeddingRequest, videoRequest } from "../../tests/support/contract/service-schemas.ts";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import {
  chatEndpoint,
  embeddingsEndpoint,
  videoCancelEndpoint,
  videoPollEndpoint,
  videoSubmitEndpoint,
} from "../process/endpoints.ts";
import { chatBodies, embeddingBodies, videoBodies, videoSettingsFor } from "./bodies.ts";

const service = { baseUrl: "http://host/base", headers: { authorization: "Bearer k" } };
const [prompt] = promptsIn(
  ['{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}'],
  "f",
);
if (prompt === undefined) throw new Error("no prompt");

/** What is sent: the parts of a body one after another. */
const sent = (parts: readonly string[]): unknown => JSON.parse(parts.join(""));
const members = (parts: readonly string[]) => z.record(z.string(), z.unknown()).parse(sent(parts));

describe("request bodies", () => {
  const messages = JSON.stringify(messagesOf(prompt));

  it("are what the specification describes", () => {
    const { stream_options, ...body } = members(chatBodies({ chatModel: 'm"' }, true)(messages, 9));
    expect(stream_options).toEqual({ include_usage: true });
    expect(chatRequest.parse(body)).toEqual({
      model: 'm"',
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "u" },
      ],
      max_tokens: 9,
      stream: true,
    });
    const whole = sent(chatBodies({ chatModel: "m" }, false)(messages, 9));
    expect(chatRequest.parse(whole)).toEqual({ model: "m", messages: messagesOf(prompt), max_tokens: 9 });
    const input = embeddingBodies('m"');
    expect(embeddingRequest.parse(sent(input(['"a"'])))).toEqual({ model: 'm"', input: "a" });
    expect(embeddingRequest.parse(sent(input(['"a"', '"b"'])))).toEqual({ model: 'm"', input: ["a", "b"] });
  });

  it("ask for usage in streams only, and not where the target refuses it", () => {
    const asked = (noUsage: boolean, stream: boolean) =>
      Object.keys(members(chatBodies({ chatModel: "m", noUsage }, stream)("[]", 9)));
    expect(asked(false, true)).toEqual(["model", "messages", "max_tokens", "stream", "stream_options"]);
    expect(asked(true, true)).toEqual(["model", "messages", "max_tokens", "stream"]);
    expect(asked(false, false)).toEqual(["model", "messages", "max_tokens"]);
  });

  it.each([true, false])("of chats have the further members that were given (streamed: %s)", (stream) => {
    const given = { ignore_eos: true, min_tokens: 9, stop: ["}"], guided: { '"': [null] } };
    const { extraBody } = readLoadSettings({
      ASSAY_TARGET: "http://host",
      ASSAY_EXTRA_BODY: JSON.stringify(given),
    });
    const chatModel = "m";
    const plain = members(chatBodies({ chatModel }, stream)("[]", 9));
    expect(members(chatBodies({ chatModel, ...(extraBody && { extraBody }) }, stream)("[]", 9))).toEqual({
      ...plain,
      ...given,
    });
    expect(members(chatBodies({ chatModel, extraBody: {} }, stream)("[]", 9))).toEqual(plain);
  });

  it("never ask for a video with a prompt over the limit", () => {
    const bodyOf = videoBodies("m");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1_990, maxLength: 2_500 }), (text) => {
        const body = sent(bodyOf(JSON.stringify(firstCharacters(text, VIDEO_PROMPT_MAX)), {}));
        expect(videoRequest.safeParse(body).success).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it("of videos have the settings that the run chooses, in turn or by weight, and no others", () => {
    const bodyOf = videoBodies("m");
    expect(sent(bodyOf('"p"', {}))).toEqual({ model: "m", prompt: "p" });
    const choices = readLoadSettings({
      ASSAY_TARGET: "http://host",
      ASSAY_VIDEO_DURATIONS: "5,10",
      ASSAY_VIDEO_ASPECT_RATIOS: "16:9=9,9:16=1",
    });
    const bodies = Array.from({ length: 400 }, (_, index) =>
      videoRequest.parse(sent(bodyOf('"p"', videoSettingsFor(choices, 1, index, index)))),
    );
    expect(bodies.slice(0, 3).map(({ duration }) => duration)).toEqual([5, 10, 5]);
    const wide = bodies.filter(({ aspect_ratio }) => aspect_ratio === "16:9").length;
    expect(wide).toBeGreaterThan(330);
    expect(wide).toBeLessThan(390);
    expect(bodies.every((body) => !("resolution" in body))).toBe(true);
  });
});

describe("endpoints", () => {
  it("leave the place of the task in the address to the extension", () => {
    expect(videoPollEndpoint(service, "m").url).toBe("http://host/base/v1/videos/generations/{task}");
    expect(videoCancelEndpoint(service, "m").url).toBe("http://host/base/v1/videos/generations/{task}/cancel");
  });

  it("announce JSON only where a body is sent", () => {
    const announced = [
      chatEndpoint(service, "m", true),
      embeddingsEndpoint(service, "m"),
      videoSubmitEndpoint(service, "m"),
      videoPollEndpoint(service, "m"),
      videoCancelEndpoint(service, "m"),
    ].map(({ headers }) => headers["content-type"]);
    expect(announced).toEqual(["application/json", "application/json", "application/json", undefined, undefined]);
  });

  it("expect the fields of the contract", () => {
    expect(chatEndpoint(service, "m", true)).toMatchObject({ op: "chat.stream", stream: true });
    expect(chatEndpoint(service, "m", false)).toMatchObject({
      op: "chat",
      expect: { status: 200, nonEmpty: ["choices"] },
    });
    expect(videoSubmitEndpoint(service, "m").expect.status).toBe(202);
    expect(Object.keys(videoPollEndpoint(service, "m").expect.variants?.fields ?? {})).toEqual([
      "processing",
      "completed",
      "failed",
      "cancelled",
    ]);
    expect(embeddingsEndpoint(service, "m").expect).toMatchObject({
      counted: "data",
      vectors: "data[].embedding",
      indexes: "data[].index",
    });
  });
});
