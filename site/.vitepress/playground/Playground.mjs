// The place of the playground in its page. What it takes is loaded when a reader asks for it.

import { withBase } from "vitepress";
import { defineComponent, h, onBeforeUnmount, ref } from "vue";
import "./playground.css";

export default defineComponent({
  setup() {
    const root = ref();
    const isStarted = ref(false);
    let stop = () => {};
    const begin = async () => {
      const { start } = await import("./playground.mjs");
      isStarted.value = true;
      stop = start(root.value, new URL(withBase("/playground/"), location.href));
    };
    onBeforeUnmount(() => stop());
    return () =>
      h("div", { class: "playground" }, [
        isStarted.value
          ? undefined
          : h("button", { type: "button", class: "begin", onClick: begin }, "Open the playground"),
        h("div", { ref: root }),
      ]);
  },
});
