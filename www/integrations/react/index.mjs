// Components for React. They render the element, which starts in the browser only. Layouts and
// pages that React renders only on a server can use them without a directive of their own.

"use client";

import { createElement, useEffect, useRef } from "react";
import { attributesOf, EVENTS, keyOf, mount } from "../common/element.mjs";

/** The property with the handler of an event. */
const handlerOf = (name) => `on${name[0].toUpperCase()}${name.slice(1)}`;
const HANDLERS = EVENTS.map(handlerOf);

/**
 * The component of an element: properties that are neither settings nor handlers become attributes.
 */
function component(tag) {
  return function Findling(props) {
    const { bundle = "/findling/", labels, options, navigate, children, ...others } = props;
    const attributes = Object.fromEntries(
      Object.entries(others).filter(([name]) => !HANDLERS.includes(name)),
    );
    const element = useRef(null);
    // Handlers are often recreated with each render; this does not start the element again.
    const latest = useRef(props);
    latest.current = props;
    useEffect(
      () =>
        mount(
          element.current,
          {
            bundle,
            labels,
            options,
            navigate: navigate && ((href) => latest.current.navigate?.(href)),
          },
          (name, event) => latest.current[handlerOf(name)]?.(event),
        ),
      [keyOf({ bundle, labels, options, navigate })],
    );
    return createElement(
      tag,
      // The element notes the page's theme on itself.
      { ref: element, bundle, suppressHydrationWarning: true, ...attributesOf(attributes) },
      children,
    );
  };
}

export const FindlingSearch = component("findling-search");
export const FindlingResults = component("findling-results");
export const FindlingRelated = component("findling-related");
