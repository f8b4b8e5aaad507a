/**
 * The files with the texts of other languages than English, by name: the languages in each. One
 * file for each language would be more files than a small site has pages.
 */
export const LOCALE_FILES = {
  west: "ca da de es et fi fr it nb nl pt sv",
  east: "cs hr hu id lt lv ms pl ro sk sl tr vi",
  letters: "bg bn el hi ru sr th uk",
  more: "ar fa he ja ko zh zh-Hant",
};
