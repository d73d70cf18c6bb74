import { render } from "hono/jsx/dom";
import { Page } from "./page.tsx";
import { accessSession } from "./session.ts";

const root = document.getElementById("page");
if (root !== null) render(<Page session={await accessSession()} />, root);
