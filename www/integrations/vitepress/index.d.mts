/** Options of the plugin. */
export interface Options {
  /** Encoder of the documents, as in `findling build --encoder`. By default `static`. */
  encoder?: string;
  /** More arguments of `findling build`. */
  build?: string[];
  /** Texts of the search by language: the keys of VitePress's `locales`, `root` if it has none. */
  labels?: Record<string, Record<string, string>>;
}

/** A plugin for `vite.plugins` in `.vitepress/config`. */
export default function findling(options?: Options): {
  name: string;
  enforce: "pre";
};
