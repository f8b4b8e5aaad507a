/**
 * The endpoint with the transformer in the Worker: about 1.5 MB of script and 25 MB of memory more, and some ten
 * milliseconds of processor time for each query that no cache knows. For plans that allow that.
 */
import { type EdgeEncoder } from "./edge";
export { createHandler, type EdgeEncoder, type EdgeOptions, type Env } from "./edge";
/** The encoder deployed beside the bundle. */
export declare const transformer: EdgeEncoder;
declare const _default: {
    fetch(request: Request, env: import("./edge").Env): Promise<Response>;
};
export default _default;
