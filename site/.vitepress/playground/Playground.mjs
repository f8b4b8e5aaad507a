// The place of the playground in its page. Its code is loaded when a reader opens it.

import { withBase } from "vitepress";
import { defineComponent, h, onBeforeUnmount, ref } from "vue";
import "./playground.css";

export default defineComponent({
  setup() {
    const root = ref();
    const isStarted = ref(false);
    const failure = ref("");
    let stop = () => {};
    let isLeft = false;
    const begin = async () => {
      isStarted.value = true;
      try {
        const { start } = await import("./playground.mjs");
        // The reader may have gone to another page meanwhile.
        if (!isLeft) stop = start(root.value, new URL(withBase("/playground/"), location.href));
      } catch (error) {
        isStarted.value = false;
        const reason = `The playground could not be loaded: ${error.message}.`;
        failure.value = `${reason} Load the page again.`;
      }
    };
    onBeforeUnmount(() => {
      isLeft = true;
      stop();
    });
    return () =>
      h("div", { class: "playground" }, [
        isStarted.value
          ? undefined
          : h("button", { type: "button", class: "begin", onClick: begin }, "Open the playground"),
        isStarted.value ? undefined : h("p", { role: "alert" }, failure.value),
        h("div", { ref: root }),
      ]);
  },
});
