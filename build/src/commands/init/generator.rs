//! Recognises the generator of a site by the files of its directory.

use std::path::{Path, PathBuf};

use crate::small_file;

/// A generator of sites, and the directory to which it writes the rendered pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The generator's name, or a description of the directory's contents.
    pub name: &'static str,
    /// The file by which it was recognised.
    pub by: PathBuf,
    /// The path to index, relative to the directory.
    pub input: PathBuf,
    /// The address of the site, if the generator's settings have one.
    pub base_url: Option<String>,
    /// How the pages are made; empty if the files are indexed as they are.
    pub make: &'static str,
    /// The format to write into the settings; `None` if it is detected.
    pub format: Option<&'static str>,
}

/// A generator's file of settings, and the directory of its pages.
struct Known {
    name: &'static str,
    files: &'static [&'static str],
    output: &'static str,
    /// Keys of the settings that name another output directory.
    output_keys: &'static [&'static str],
    /// Keys of the settings that have the address of the site.
    url_keys: &'static [&'static str],
    /// A text that the file must contain, because other programs use the same file name.
    has: &'static str,
    make: &'static str,
}

const fn known(
    name: &'static str,
    files: &'static [&'static str],
    output: &'static str,
    make: &'static str,
) -> Known {
    Known { name, files, output, output_keys: &[], url_keys: &[], has: "", make }
}

/// The generators that are recognised, the more specific first.
const GENERATORS: &[Known] = &[
    Known {
        output_keys: &["build-dir"],
        ..known("mdBook", &["book.toml"], "book", "mdbook build")
    },
    Known {
        output_keys: &["site_dir"],
        url_keys: &["site_url"],
        ..known("MkDocs", &["mkdocs.yml", "mkdocs.yaml"], "site", "mkdocs build")
    },
    Known {
        url_keys: &["url"],
        ..known(
            "Docusaurus",
            &["docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"],
            "build",
            "npm run build",
        )
    },
    Known {
        output_keys: &["publishDir", "publishdir"],
        url_keys: &["baseURL", "baseurl"],
        ..known("Hugo", &["hugo.toml", "hugo.yaml", "hugo.yml"], "public", "hugo")
    },
    Known {
        has: "base_url",
        output_keys: &["output_dir"],
        url_keys: &["base_url"],
        ..known("Zola", &["zola.toml", "config.toml"], "public", "zola build")
    },
    Known {
        has: "baseURL",
        output_keys: &["publishDir", "publishdir"],
        url_keys: &["baseURL"],
        ..known("Hugo", &["config.toml", "config.yaml"], "public", "hugo")
    },
    Known {
        output_keys: &["destination"],
        url_keys: &["url"],
        ..known("Jekyll", &["_config.yml"], "_site", "bundle exec jekyll build")
    },
    Known {
        url_keys: &["site"],
        output_keys: &["outDir"],
        ..known(
            "Astro",
            &["astro.config.mjs", "astro.config.ts", "astro.config.js"],
            "dist",
            "npm run build",
        )
    },
    known(
        "Eleventy",
        &["eleventy.config.js", "eleventy.config.mjs", ".eleventy.js"],
        "_site",
        "npx @11ty/eleventy",
    ),
    known(
        "VitePress",
        &["docs/.vitepress/config.mts", "docs/.vitepress/config.ts", "docs/.vitepress/config.js"],
        "docs/.vitepress/dist",
        "npx vitepress build docs",
    ),
    known(
        "VitePress",
        &[".vitepress/config.mts", ".vitepress/config.ts", ".vitepress/config.js"],
        ".vitepress/dist",
        "npx vitepress build",
    ),
    known("Antora", &["antora-playbook.yml"], "build/site", "npx antora antora-playbook.yml"),
    Known {
        has: "sphinx",
        ..known("Sphinx", &["docs/conf.py"], "docs/_build/html", "make -C docs html")
    },
    Known {
        has: "extensions",
        ..known("Sphinx", &["docs/source/conf.py"], "docs/build/html", "make -C docs html")
    },
    Known { has: "extensions", ..known("Sphinx", &["conf.py"], "_build/html", "make html") },
    known("Doxygen", &["Doxyfile"], "html", "doxygen"),
];

/// Returns the generator of the site in a directory; `None` if none is recognised.
pub fn recognise(directory: &Path) -> Option<Site> {
    GENERATORS.iter().find_map(|known| known.find(directory)).or_else(|| unrendered(directory))
}

impl Known {
    fn find(&self, directory: &Path) -> Option<Site> {
        let by =
            self.files.iter().map(PathBuf::from).find(|file| directory.join(file).is_file())?;
        let text = small_file::text(&directory.join(&by)).unwrap_or_default();
        if !text.contains(self.has) {
            return None;
        }
        let value = |keys: &[&str]| keys.iter().find_map(|key| value(&text, key));
        let named = value(self.output_keys).map(PathBuf::from).filter(|path| is_below(path));
        let base_url = value(self.url_keys)
            .filter(|url| url.starts_with("https://") || url.starts_with("http://"));
        Some(Site {
            name: self.name,
            by,
            input: named.unwrap_or_else(|| self.output.into()),
            base_url,
            make: self.make,
            format: None,
        })
    }
}

/// Returns a directory whose files are indexed as they are: rendered pages, papers, code, Markdown.
fn unrendered(directory: &Path) -> Option<Site> {
    let as_it_is = |name, by: &str, input: &str, format| Site {
        name,
        by: by.into(),
        input: input.into(),
        base_url: None,
        make: "",
        format,
    };
    let has = |name: &str| directory.join(name).exists();
    for rendered in ["public", "dist", "_site", "site", "build", "out", "www", "."] {
        if has(&format!("{rendered}/index.html")) {
            let by = format!("{rendered}/index.html");
            return Some(as_it_is("rendered pages", &by, rendered, None));
        }
    }
    let with = |extension: &str| -> Option<String> {
        let mut names: Vec<String> = std::fs::read_dir(directory)
            .ok()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| Path::new(name).extension().is_some_and(|known| known == extension))
            .collect();
        names.sort();
        names.into_iter().next()
    };
    if let Some(by) = with("bib") {
        return Some(as_it_is("papers", &by, ".", Some("papers")));
    }
    if has("docs") && std::fs::read_dir(directory.join("docs")).ok()?.flatten().any(is_markdown) {
        return Some(as_it_is("Markdown", "docs", "docs", Some("markdown")));
    }
    for project in ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "CMakeLists.txt"] {
        if has(project) {
            return Some(as_it_is("source code", project, ".", Some("code")));
        }
    }
    with("md").map(|by| as_it_is("Markdown", &by, ".", Some("markdown")))
}

fn is_markdown(entry: std::fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|extension| extension == "md")
}

/// Returns the value of a key on a line of its own, as TOML, YAML and JavaScript write it. A wrong
/// guess is shown to the user before it is used, so no parser of each language is needed.
fn value(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix(key)?.trim_start();
        let rest = rest.strip_prefix([':', '='])?.trim().trim_end_matches(',');
        let quoted = |mark: char| rest.strip_prefix(mark)?.split(mark).next();
        let plain = rest.split(" #").next().unwrap_or(rest).trim();
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(plain);
        (!value.is_empty()).then(|| value.to_owned())
    })
}

/// Returns whether a path stays inside of the directory.
fn is_below(path: &Path) -> bool {
    use std::path::Component;
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], name: &str, input: &str, base_url: Option<&str>) {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let site = recognise(dir.path()).unwrap();
        let found = (site.name, site.input.to_str().unwrap(), site.base_url.as_deref());
        assert_eq!(found, (name, input, base_url), "{files:?}");
    }

    #[test]
    fn generators_are_recognised_by_their_settings() {
        check(&[("book.toml", "[book]\ntitle = \"x\"\n")], "mdBook", "book", None);
        check(&[("book.toml", "[build]\nbuild-dir = \"out\"\n")], "mdBook", "out", None);
        check(
            &[("mkdocs.yml", "site_name: x\nsite_url: https://x.org/docs/ # y\n")],
            "MkDocs",
            "site",
            Some("https://x.org/docs/"),
        );
        check(
            &[("config.toml", "baseURL = 'https://x.org/'\n")],
            "Hugo",
            "public",
            Some("https://x.org/"),
        );
        check(
            &[("config.toml", "base_url = \"https://x.org\"\n")],
            "Zola",
            "public",
            Some("https://x.org"),
        );
        check(
            &[("docusaurus.config.js", "module.exports = {\n  url: 'https://x.org',\n}")],
            "Docusaurus",
            "build",
            Some("https://x.org"),
        );
        check(
            &[("docs/conf.py", "extensions = ['sphinx.ext.todo']")],
            "Sphinx",
            "docs/_build/html",
            None,
        );
        check(&[("_config.yml", "url: \"\"\n")], "Jekyll", "_site", None);
    }

    #[test]
    fn other_directories_are_indexed_as_they_are() {
        check(&[("public/index.html", "x")], "rendered pages", "public", None);
        check(&[("a.bib", "x"), ("b.md", "x")], "papers", ".", None);
        check(&[("docs/a.md", "x"), ("Cargo.toml", "x")], "Markdown", "docs", None);
        check(&[("Cargo.toml", "x")], "source code", ".", None);
        check(&[("a.md", "x")], "Markdown", ".", None);
        assert_eq!(recognise(tempfile::tempdir().unwrap().path()), None);
    }

    #[test]
    fn an_output_outside_of_the_directory_is_not_taken() {
        check(&[("book.toml", "build-dir = \"../../etc\"\n")], "mdBook", "book", None);
        check(&[("book.toml", "build-dir = \"/etc\"\n")], "mdBook", "book", None);
    }
}
