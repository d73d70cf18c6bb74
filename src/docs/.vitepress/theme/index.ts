import DefaultTheme from "vitepress/theme-without-fonts";
import { onContentUpdated } from "vitepress";
import { keepLanguage } from "./language.ts";
import { showThisGateway } from "./this-gateway.ts";
import "./style.css";

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(() => {
      keepLanguage();
      void showThisGateway();
    });
  },
};
