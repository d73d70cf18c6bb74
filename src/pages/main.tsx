import { render } from "preact";
import { isDemoLink, loadDemo, loadSettings } from "./page/load.ts";
import { ConsolePage } from "./page/page.tsx";

// A new link that differs only in its fragment would otherwise change nothing but the address.
addEventListener("hashchange", () => {
  if (isDemoLink(location.hash)) location.reload();
});

const root = document.getElementById("page");
if (root !== null) {
  const [demo, settings] = await Promise.all([loadDemo(), loadSettings()]);
  render(<ConsolePage demo={demo} settings={settings} />, root);
}
