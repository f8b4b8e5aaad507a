// The search of the navigation bar.

import { useHistory, useLocation } from "@docusaurus/router";
import { translate } from "@docusaurus/Translate";
import useBaseUrl from "@docusaurus/useBaseUrl";
import { usePluginData } from "@docusaurus/useGlobalData";
import { createElement, useEffect, useRef } from "react";
import { connect } from "../../../common/element.mjs";
import "./styles.css";

/** What the development server shows until the site was built once. */
const NOT_BUILT = {
  failed: "The search index is not built yet: run `docusaurus build`, then start again",
};

/** The name of a version as `scopes` can hold it. */
const named = ({ label }) => label.replace(/[=;]/g, " ");

/**
 * The versions of the documentation to search in, first that of the page; then all. Without a
 * choice there are none: the page's own version is what a search is about.
 */
function useScopes() {
  const { pathname } = useLocation();
  const docs = usePluginData("docusaurus-plugin-content-docs", undefined, { failfast: false });
  const versions = docs?.versions ?? [];
  if (versions.length < 2) return undefined;
  const [own] = versions
    .filter(({ path }) => `${pathname}/`.startsWith(`${path.replace(/\/$/, "")}/`))
    .sort((a, b) => b.path.length - a.path.length);
  const all = translate({ id: "theme.SearchBar.allVersions", message: "All versions" });
  const others = versions.filter((version) => version !== own);
  const parts = (list) => list.map((version) => `${named(version)} = version:${version.name}`);
  const everything = `${all} = none`;
  return (own ? [...parts([own, ...others]), everything] : [everything, ...parts(others)]).join(
    ";",
  );
}

export default function SearchBar() {
  const history = useHistory();
  const bundle = useBaseUrl("/findling/");
  const { labels } = usePluginData("findling");
  const scopes = useScopes();
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
  return createElement("findling-search", { ref: element, bundle, theme: "page", scopes });
}
