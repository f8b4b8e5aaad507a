/**
 * The script of a standalone file: both elements, with the client, the worker and everything else
 * included. `findling build --single-page` puts the bundle beside it, into one page or one script.
 */

import "../ui/element";
import "../ui/page/element";
