/** The environment that commands of tests begin with. */

/** The environment without variables that would configure Assay or colour its output. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(ASSAY_(?!K6$)|K6_|VITEST|FORCE_COLOR|NODE_ENV$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}
