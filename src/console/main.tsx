import { render } from "hono/jsx/dom";
import { isDemoLink, loadDemo } from "./page/demo.ts";
import { Page } from "./page/page.tsx";

const root = document.getElementById("page");
if (root !== null) render(<Page demo={await loadDemo()} />, root);

// A link that differs only in its fragment would otherwise change the address and nothing else.
addEventListener("hashchange", () => {
  if (isDemoLink(location.hash)) location.reload();
});
