/* The endpoint's engine without its own module: that of browsers. */
export {
  default,
  Engine,
  initSync,
  manifestOf,
  Search,
  singleFileHead,
} from "../engine/findling_engine";
