/** The commonest choices where the document leaves one: 400 with an error object, 401, 404, 405, 409. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({ name: "strict", about: "the commonest choices: 400 with an error object, 401, 404, 409" });
