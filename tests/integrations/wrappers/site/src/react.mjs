import { createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { App } from "./react-app.mjs";

hydrateRoot(document.querySelector("#app"), createElement(App));
