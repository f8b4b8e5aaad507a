import { IdAttributePlugin } from "@11ty/eleventy";

export default function (config) {
  config.addPlugin(IdAttributePlugin);
}
