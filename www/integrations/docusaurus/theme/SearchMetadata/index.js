// What pages say to search: as in the original, and the version as an attribute to filter by.

import Head from "@docusaurus/Head";
import Original from "@theme-init/SearchMetadata";
import { createElement, Fragment } from "react";

export default function SearchMetadata(props) {
  const { version } = props;
  return createElement(
    Fragment,
    {},
    createElement(Original, props),
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
