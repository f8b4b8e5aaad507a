// Components for Vue. They render the element, which starts in the browser only.

import {
  defineComponent,
  getCurrentInstance,
  h,
  onBeforeUnmount,
  onMounted,
  ref,
  watch,
} from "vue";
import { attributesOf, EVENTS, keyOf, mount } from "../common/element.mjs";

/** The address of a page of this site as Vue Router takes it: a path below the router's base. */
function routeOf(href, router) {
  const path = href.slice(new URL(href).origin.length);
  const base = router?.options.history.base ?? "";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

/** The component of an element: properties that are not settings become attributes. */
const component = (tag) =>
  defineComponent({
    name: tag,
    inheritAttrs: false,
    props: {
      bundle: { type: String, default: "/findling/" },
      labels: Object,
      options: Object,
      navigate: Function,
    },
    emits: EVENTS,
    setup(props, { attrs, emit, slots }) {
      const element = ref();
      const { $router } = getCurrentInstance().appContext.config.globalProperties;
      let end = () => {};
      const start = () => {
        end();
        const { bundle, labels, options } = props;
        const navigate = props.navigate && ((href) => props.navigate?.(routeOf(href, $router)));
        end = mount(element.value, { bundle, labels, options, navigate }, emit);
      };
      onMounted(start);
      watch(() => keyOf(props), start, { flush: "post" });
      onBeforeUnmount(() => end());
      return () =>
        h(tag, { ref: element, bundle: props.bundle, ...attributesOf(attrs) }, slots.default?.());
    },
  });

export const FindlingSearch = component("findling-search");
export const FindlingResults = component("findling-results");
export const FindlingRelated = component("findling-related");
