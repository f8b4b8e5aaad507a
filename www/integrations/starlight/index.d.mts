/** Options of the plugin. */
export interface Options {
  /** Encoder of the documents, as in `findling build --encoder`. By default `static`. */
  encoder?: string;
  /** More arguments of `findling build`. */
  build?: string[];
}

/** A plugin for `plugins` of `starlight()` in astro.config. */
export default function findling(options?: Options): { name: string; hooks: object };
