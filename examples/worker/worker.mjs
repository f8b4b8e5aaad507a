// A Worker that answers /api/search and /api/similar, and serves the site for every other path.
import { createHandler } from "findling/edge";

const search = createHandler({ path: "/api/search", similarPath: "/api/similar", maxAge: 300 });

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    return pathname.startsWith("/api/") ? search.fetch(request, env) : env.ASSETS.fetch(request);
  },
};
