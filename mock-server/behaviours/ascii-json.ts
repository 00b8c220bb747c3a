/** JSON in ASCII, every other letter escaped. */

import { isObject } from "../../lib/json.ts";
import { eachFrame, textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

const ascii = (text: string): string =>
  text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export default behaviour({
  name: "ascii-json",
  about: "letters outside ASCII are escaped in JSON",
  transform: (response) =>
    isObject(response.body) ? { ...response, body: ascii(JSON.stringify(response.body)) } : response,
  transformStream: eachFrame((frame) => ascii(textOf(frame))),
});
