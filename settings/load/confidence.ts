/** How sure the verdict on an objective is to be. No imports, so that this file also runs inside k6. */

/** `none`: the figure of the run decides, whatever chance there is in it. */
export const CONFIDENCES = ["95%", "99%", "none"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** That of a recorded run; undefined of one that names none. */
export const confidenceOf = ({ confidence }: { readonly confidence?: string | undefined }): Confidence | undefined =>
  CONFIDENCES.find((known) => known === confidence);
