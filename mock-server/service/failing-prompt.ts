/** The phrase that content review rejects: a video task whose prompt holds it fails with `content_filter`. */
export const FAILING_PROMPT = "reject this in content review";
