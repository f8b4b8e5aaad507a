// The search of the navigation bar.

import { useHistory } from "@docusaurus/router";
import useBaseUrl from "@docusaurus/useBaseUrl";
import { usePluginData } from "@docusaurus/useGlobalData";
import { createElement, useEffect, useRef } from "react";
import { connect } from "../../../common/element.mjs";
import "./styles.css";

/** What the development server shows until the site was built once. */
const NOT_BUILT = {
  failed: "The search index is not built yet: run `docusaurus build`, then start again",
};

export default function SearchBar() {
  const history = useHistory();
  const bundle = useBaseUrl("/findling/");
  const { labels } = usePluginData("findling");
  const element = useRef(null);
  useEffect(() => {
    connect(element.current, {
      bundle,
      labels: { ...(process.env.NODE_ENV === "development" ? NOT_BUILT : {}), ...labels },
      navigate: (href) => {
        const { pathname, hash } = new URL(href);
        // Routes have no names of files.
        history.push(pathname.replace(/\.html$/, "") + hash);
      },
    });
  }, [bundle, labels, history]);
  return createElement("findling-search", { ref: element, bundle, theme: "page" });
}
