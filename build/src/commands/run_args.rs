//! `--jobs` and `--yes`, as the commands that read and embed take them.

use clap::builder::RangedU64ValueParser;

/// How a command runs.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RunArgs {
    /// Number of threads [default: one per core]
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub jobs: Option<usize>,
    /// Install a missing model without asking
    #[arg(short, long)]
    pub yes: bool,
}
