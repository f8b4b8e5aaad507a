/** The address of a script on the site that serves it. */

/**
 * The directory of a script of the client, which has the client's other files; `undefined` in the
 * package that applications bundle. There a script becomes a part of the application's own files,
 * and its address does not show where the client's files are.
 */
export function scriptDirectory(): URL | undefined {
  const address = import.meta.url as string | undefined;
  return address === undefined ? undefined : new URL(".", address);
}
