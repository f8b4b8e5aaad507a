declare module "*.css" {
  /** The sheet's text, minified by the build. */
  const text: string;
  export default text;
}
