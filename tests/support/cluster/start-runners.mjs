/**
 * What k6-operator does with every k6 at these addresses: `await ADDRESS…` waits until all are ready and paused, `start ADDRESS…`
 * starts one after another.
 */

const [step, ...addresses] = process.argv.slice(2);
const urls = addresses.map((address) => `http://${address}/v1/status`);
const isPaused = async (/** @type {string} */ url) => {
  const status = await fetch(url)
    .then((response) => response.text())
    .catch(() => "");
  return /"paused":\s*true/.test(status);
};
const headers = { "content-type": "application/json" };
const body = JSON.stringify({ data: { attributes: { paused: false }, id: "default", type: "status" } });
for (const url of urls) {
  if (step === "start") await fetch(url, { method: "PATCH", headers, body });
  else while (!(await isPaused(url))) await new Promise((resolve) => setTimeout(resolve, 50));
}
