// Sites that documentation generators build, installed by the names of their packages: the guides
// and the reference of Fastify (Markdown, in its npm package), the documentation of urllib3
// (reStructuredText, in its archive on PyPI), and comments in programs.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

const VERSIONS = {
  npm: [
    ...["fastify@5.12.8", "vitepress@1.6.4", "vue@3", "honkit@6.1.7", "jsdoc@4.0.5"],
    ...["@docusaurus/core@3.10.2", "@docusaurus/preset-classic@3.10.2", "react@19", "react-dom@19"],
  ],
  python: [
    ...["mkdocs==1.6.1", "mkdocs-material==9.*", "zensical==0.0.73", "pdoc", "sphinx<10"],
    ...["furo", "sphinx-rtd-theme", "pydata-sphinx-theme", "sphinx-book-theme", "myst-parser"],
    ...["sphinx-copybutton", "sphinxext-opengraph", "urllib3==2.8.0", "packaging"],
  ],
};

/**
 * The directory of the site that a generator builds; undefined, with a line on standard error, if
 * it cannot be built. Sites and packages stay in `cache`.
 */
export function built(name, cache) {
  const into = join(cache, "built", name);
  if (existsSync(into)) return into;
  const half = `${into}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(join(cache, "built"), { recursive: true });
  try {
    builders[name](sources(cache), half);
  } catch (error) {
    console.error(`${name} is left out: ${error.message}`);
    return undefined;
  }
  renameSync(half, into);
  return into;
}

/** Installs the generators and unpacks the texts, once. */
function sources(cache) {
  const home = join(cache, "generators");
  const python = join(home, "python/bin");
  if (!existsSync(join(home, "complete"))) {
    mkdirSync(join(home, "npm"), { recursive: true });
    writeFileSync(join(home, "npm/package.json"), '{ "private": true }\n');
    // No generator needs a script of its packages.
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
    run("npm", ["install", ...flags, ...VERSIONS.npm], join(home, "npm"));
    run("python3", ["-m", "venv", join(home, "python")], home);
    run(join(python, "pip"), ["install", "-q", ...VERSIONS.python], home);
    const archive = ["download", "-q", "--no-deps", "--no-binary", ":all:", "urllib3==2.8.0"];
    run(join(python, "pip"), archive, home);
    run("tar", ["xzf", "urllib3-2.8.0.tar.gz"], home);
    writeFileSync(join(home, "complete"), "");
  }
  const npm = join(home, "npm/node_modules");
  return {
    home,
    python,
    npm,
    markdown: join(npm, "fastify/docs"),
    rst: join(home, "urllib3-2.8.0"),
  };
}

function run(program, args, cwd) {
  const { status, stderr, stdout, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error) throw new Error(`${program}: ${error.message}`);
  if (status !== 0) {
    const said = (stderr.trim() || stdout.trim()).split("\n").slice(-3).join(" ");
    throw new Error(`${program} ${args[0]} failed: ${said}`);
  }
}

/** A new project of a generator, with the Markdown pages below `pages`. */
function project({ markdown, npm }, output, pages) {
  // Programs of npm look for their packages above the project.
  const directory = join(npm, "..", basename(output));
  rmSync(directory, { recursive: true, force: true });
  cpSync(markdown, join(directory, pages), { recursive: true });
  return directory;
}

const mkdocs = (theme) => (from, output) => {
  const directory = project(from, output, "docs");
  const settings = { site_name: "Fastify", theme: { name: theme } };
  writeFileSync(join(directory, "mkdocs.yml"), JSON.stringify(settings));
  run(join(from.python, "mkdocs"), ["build", "-q", "-d", output], directory);
};

const sphinx = (theme) => (from, output) => {
  const args = ["-q", "-b", "html", "-D", `html_theme=${theme}`, "-D", "html_theme_options.x="];
  run(join(from.python, "sphinx-build"), [...args, ".", output], join(from.rst, "docs"));
};

const builders = {
  mkdocs: mkdocs("mkdocs"),
  "mkdocs-readthedocs": mkdocs("readthedocs"),
  "mkdocs-material": mkdocs("material"),
  "sphinx-alabaster": sphinx("alabaster"),
  "sphinx-furo": sphinx("furo"),
  "sphinx-rtd": sphinx("sphinx_rtd_theme"),
  "sphinx-pydata": sphinx("pydata_sphinx_theme"),
  "sphinx-book": sphinx("sphinx_book_theme"),
  zensical(from, output) {
    const directory = project(from, output, "docs");
    writeFileSync(join(directory, "zensical.toml"), '[project]\nsite_name = "Fastify"\n');
    run(join(from.python, "zensical"), ["build"], directory);
    renameSync(join(directory, "site"), output);
  },
  vitepress(from, output) {
    const directory = project(from, output, "");
    mkdirSync(join(directory, ".vitepress"));
    const settings = 'export default { title: "Fastify", ignoreDeadLinks: true };\n';
    writeFileSync(join(directory, ".vitepress/config.mjs"), settings);
    run(join(from.npm, ".bin/vitepress"), ["build", directory, "--outDir", output], from.home);
  },
  docusaurus(from, output) {
    const directory = project(from, output, "docs");
    writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
    const broken = { onBrokenLinks: "ignore", onBrokenAnchors: "ignore" };
    const hooks = { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" };
    const settings = {
      ...{ title: "Fastify", url: "https://example.org", baseUrl: "/", ...broken },
      markdown: { format: "detect", hooks },
      presets: [[join(from.npm, "@docusaurus/preset-classic"), { blog: false }]],
    };
    const file = `module.exports = ${JSON.stringify(settings)};\n`;
    writeFileSync(join(directory, "docusaurus.config.js"), file);
    const args = ["build", directory, "--out-dir", output];
    run(join(from.npm, ".bin/docusaurus"), args, directory);
  },
  honkit(from, output) {
    const directory = project(from, output, "");
    renameSync(join(directory, "index.md"), join(directory, "README.md"));
    const parts = ["Guides", "Reference"].flatMap((part) => {
      const files = readdirSync(join(directory, part)).filter((file) => file !== "Index.md");
      const pages = files.map((file) => `  * [${file.slice(0, -3)}](${part}/${file})`);
      return [`* [${part}](${part}/Index.md)`, ...pages];
    });
    const summary = ["# Summary", "", "* [Introduction](README.md)", ...parts, ""].join("\n");
    writeFileSync(join(directory, "SUMMARY.md"), summary);
    run(join(from.npm, ".bin/honkit"), ["build", ".", output], directory);
  },
  jsdoc(from, output) {
    run(join(from.npm, ".bin/jsdoc"), ["-r", "-d", output, join(from.npm, "jsdoc/lib")], from.home);
  },
  pdoc(from, output) {
    run(join(from.python, "pdoc"), ["-o", output, "urllib3", "packaging"], from.home);
  },
};
