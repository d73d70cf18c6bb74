import DefaultTheme from "vitepress/theme-without-fonts";
import { onContentUpdated } from "vitepress";
import { showThisGateway } from "./this-gateway.ts";
// Vite bundles it for its effect.
// oxlint-disable-next-line import/no-unassigned-import
import "./style.css";

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(() => {
      void showThisGateway();
    });
  },
};
