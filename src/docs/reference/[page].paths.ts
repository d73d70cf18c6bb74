/** The pages below /docs/reference, which VitePress makes of the contracts (https://vitepress.dev/guide/routing#dynamic-routes). */
import { asyncApi } from "../contracts/asyncapi.ts";
import { fileText } from "../build/text.ts";
import { openApi } from "../../gateway/http/openapi/openapi.ts";
import { listFamilies, familyPage } from "./call-pages.ts";
import { FRAMES, framesPage } from "./frames.ts";

/** The README of the package, which the site shows as it is. */
const CLIENT =
  "The package payment-terminal-client: clients for a POS and a terminal in JavaScript, with every option.";

export default {
  paths() {
    const document = openApi();
    const families = listFamilies(document).map((family) => ({
      params: { page: family.page, description: family.description },
      content: familyPage(family, document),
    }));
    return [
      ...families,
      { params: { page: "frames", description: FRAMES }, content: framesPage(asyncApi()) },
      { params: { page: "javascript-client", description: CLIENT }, content: fileText("src/sdk/README.md") },
    ];
  },
};
