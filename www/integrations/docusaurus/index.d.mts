/** Options of the theme. */
export interface Options {
  /** Encoder of the documents, as in `findling build --encoder`. By default `static`. */
  encoder?: string;
  /** More arguments of `findling build`. */
  build?: string[];
  /** Texts of the search by locale. */
  labels?: Record<string, Record<string, string>>;
}

/** A theme for `themes` in docusaurus.config. */
export default function findling(context: unknown, options: Options): { name: string };
