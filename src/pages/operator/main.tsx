import { render } from "preact";
import { Page } from "./page.tsx";
import { openPage } from "./sign-in.tsx";

const root = document.getElementById("page");
if (root !== null) render(<Page {...await openPage()} />, root);
