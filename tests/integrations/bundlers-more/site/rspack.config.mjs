// Rspack needs no configuration for the package.

export default {};
