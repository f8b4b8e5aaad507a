/** Starting a module in a worker, or beside the page's own code where there are no workers. */
import { Remote } from "./rpc";
/** The other side of a started module. */
export interface Spawned {
    remote: Remote;
    /** Ends it; calls under way are rejected. */
    stop(): void;
}
/** Starts the module at `url`, which must answer to `start(port)` when imported. */
export declare function spawn(url: string, inWorker: boolean): Promise<Spawned>;
