/** The pages below /docs/reference, which VitePress makes of the contracts (https://vitepress.dev/guide/routing#dynamic-routes). */
import { asyncApi } from "../contracts/asyncapi.ts";
import { openApi } from "../../gateway/http/openapi/openapi.ts";
import { familiesOf, familyPage } from "./calls.ts";
import { FRAMES, framesPage } from "./frames.ts";

export default {
  paths() {
    const document = openApi();
    const families = familiesOf(document).map((family) => ({
      params: { page: family.page, description: family.description },
      content: familyPage(family, document),
    }));
    return [...families, { params: { page: "frames", description: FRAMES }, content: framesPage(asyncApi()) }];
  },
};
