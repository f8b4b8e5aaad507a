// What pages say to search: as in the original, and the version as an attribute to filter by, if the
// site has several.

import Head from "@docusaurus/Head";
import { useAllPluginInstancesData } from "@docusaurus/useGlobalData";
import Original from "@theme-init/SearchMetadata";
import { createElement, Fragment } from "react";

/** Whether readers have versions to choose from, in any part of the documentation. */
function useHasVersions() {
  const docs = useAllPluginInstancesData("docusaurus-plugin-content-docs", { failfast: false });
  return Object.values(docs ?? {}).some(({ versions }) => versions.length > 1);
}

export default function SearchMetadata(props) {
  const { version } = props;
  const hasVersions = useHasVersions();
  return createElement(
    Fragment,
    {},
    createElement(Original, props),
    hasVersions &&
      version &&
      createElement(
        Head,
        {},
        createElement("meta", {
          name: "findling:version",
          "data-findling-filter": "version[content]",
          content: version,
        }),
      ),
  );
}
