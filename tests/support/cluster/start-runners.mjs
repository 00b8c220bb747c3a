/** Waits until every k6 at these addresses is ready and paused, as k6-operator does, then starts one after another. */

const urls = process.argv.slice(2).map((address) => `http://${address}/v1/status`);
const isPaused = async (/** @type {string} */ url) => {
  const status = await fetch(url)
    .then((response) => response.text())
    .catch(() => "");
  return /"paused":\s*true/.test(status);
};
for (const url of urls) while (!(await isPaused(url))) await new Promise((resolve) => setTimeout(resolve, 50));
const body = JSON.stringify({ data: { attributes: { paused: false }, id: "default", type: "status" } });
for (const url of urls) await fetch(url, { method: "PATCH", headers: { "content-type": "application/json" }, body });
