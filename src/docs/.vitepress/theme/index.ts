import DefaultTheme from "vitepress/theme-without-fonts";
import { onContentUpdated } from "vitepress";
import { showThisGateway } from "./this-gateway.ts";
// oxlint-disable-next-line import/no-unassigned-import -- Vite bundles a style sheet that is imported.
import "./style.css";

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(() => {
      void showThisGateway();
    });
  },
};
