import { render } from "preact";
import { OperatorPage } from "./page.tsx";
import { openPage } from "./sign-in.tsx";

const root = document.getElementById("page");
if (root !== null) render(<OperatorPage {...await openPage()} />, root);
