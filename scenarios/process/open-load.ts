/** The load of a run, read inside k6, so that k6 archives include it. */

import { checkedSettings, type LoadSettings } from "../../load/rules/checked-settings.ts";
import { LOAD_FILE, readLoad } from "../../settings/load/load-json.ts";

/**
 * Reads `load.json`, which is in the folder of the bundle.
 * @throws UsageError when a setting cannot be read, or two contradict each other
 */
export const openLoad = (): LoadSettings => {
  load ??= checkedSettings(readLoad(openFile()));
  return load;
};

/** Read once: several shared values are parts of it. */
let load: LoadSettings | undefined;

function openFile(): string {
  try {
    return open(`./${LOAD_FILE}`);
  } catch (error) {
    throw new Error(
      `Cannot open ${LOAD_FILE}, which describes the load: ${error}. It belongs next to the bundle; assay bundle writes both.`,
    );
  }
}
