/** The phrase that content review rejects: a video task with it in its prompt fails with `content_filter`. */
export const FAILING_PROMPT = "reject this in content review";
