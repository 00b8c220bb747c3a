/** The load of a run, read inside k6, so that k6 archives include it. */

import { LOAD_FILE, readLoad } from "../../settings/load-json.ts";
import { checkedSettings, type LoadSettings } from "./checked-settings.ts";

/**
 * Reads `load.json`, which is beside the bundle.
 * @throws UsageError when a setting cannot be read, or two contradict each other
 */
export const openLoad = (): LoadSettings => checkedSettings(readLoad(openFile()));

function openFile(): string {
  try {
    return open(`./${LOAD_FILE}`);
  } catch (error) {
    throw new Error(
      `Cannot open ${LOAD_FILE}, which describes the load: ${error}. It belongs beside the bundle, as assay bundle writes both.`,
    );
  }
}
