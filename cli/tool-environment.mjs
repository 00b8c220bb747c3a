/** The environment of tools that Assay starts and that need nothing of Assay's: no settings, and above all no API key. */
export const toolEnvironment = (/** @type {NodeJS.ProcessEnv} */ env = process.env) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("ASSAY_")));
