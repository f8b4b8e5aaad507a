"""A site of 100,000 real pages: the documentation in Debian's packages.

    python3 debian_docs.py DIR [--pages N]

Downloads the packages with `apt-get download` into DIR/packages, 400 MB, and puts their HTML pages
into DIR/site/PACKAGE until there are N. Pages are taken in the order of the list and of their
paths, so the same release of Debian (12) gives the same pages. A package that is missing in the
release is reported and left out. Then run:

    cargo xtask bench build DIR/site 1
    cargo xtask bench build DIR/site 1 -- --encoder static
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

# References, books and manuals of many makers: rustdoc, Sphinx, Doxygen, Javadoc, gi-docgen,
# DocBook, Texinfo. None has more than a third of the pages.
PACKAGES = """
    postgresql-doc-15 python3.11-doc apache2-doc git-doc debian-handbook linux-doc-6.1 ghc-doc
    octave-doc cppreference-doc-en-html libboost1.81-doc scala-doc groovy-doc python-scipy-doc
    python-pandas-doc python-statsmodels-doc sagemath-doc opencv-doc libgtk-4-doc openjdk-17-doc
    rust-doc libapache-poi-java-doc petsc3.18-doc
""".split()


def download(package, into):
    """The path of the package's file; None if this release of Debian has no such package."""
    into.mkdir(parents=True, exist_ok=True)
    there = sorted(into.glob(f"{package}_*.deb"))
    if not there:
        got = subprocess.run(
            ["apt-get", "download", "-q", package], cwd=into, capture_output=True, text=True
        )
        there = sorted(into.glob(f"{package}_*.deb"))
        if not there:
            print(f"{package} is left out: {got.stderr.strip()}", file=sys.stderr)
            return None
    return there[-1]


def pages_of(archive, scratch):
    """The HTML pages in a package, by path. Links to pages do not count."""
    contents = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=contents.stdout, mode="r|") as files:
        for file in files:
            if file.isfile() and file.name.endswith(".html"):
                files.extract(file, scratch, filter="data")
    return sorted(page for page in Path(scratch).rglob("*.html") if page.is_file())


def add_pages(package, archive, site, most):
    """Moves at most this many pages of a package to the site; returns the number."""
    with tempfile.TemporaryDirectory(dir=site.parent) as scratch:
        pages = pages_of(archive, scratch)[:most]
        for page in pages:
            to = site / package / page.relative_to(Path(scratch) / "usr/share")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(page, to)
    return len(pages)


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("dir", type=Path)
    arguments.add_argument("--pages", type=int, default=100_000)
    options = arguments.parse_args()
    site = options.dir / "site"
    if site.exists():
        sys.exit(f"Expected no {site}, since it is written anew: remove it first.")
    site.mkdir(parents=True)
    n_pages = 0
    for package in PACKAGES:
        archive = download(package, options.dir / "packages")
        if archive and n_pages < options.pages:
            n = add_pages(package, archive.resolve(), site, options.pages - n_pages)
            n_pages += n
            print(f"{n:6} {package}")
    print(f"{n_pages:6} pages in {site}")
    if n_pages < options.pages:
        sys.exit(f"Expected {options.pages} pages; this release of Debian has fewer of them.")


if __name__ == "__main__":
    main()
