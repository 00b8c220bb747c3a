/** A button at each command of a page that copies it. Without its script a page is complete: the command can be selected. */

export const COPY_SCRIPT = `
for (const pre of document.querySelectorAll("pre.curl")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.setAttribute("aria-label", "Copy the curl command of " + pre.dataset.name);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      getSelection().selectAllChildren(pre);
      document.execCommand("copy");
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  pre.before(button);
}
`;
