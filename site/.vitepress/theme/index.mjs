// The default theme with the reader's own fonts, which are no download.

import theme from "vitepress/theme-without-fonts";
import "./site.css";

export default theme;
