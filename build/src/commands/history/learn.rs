//! `findling learn`: fits the ranking of a bundle on this machine to the feedback on its hits.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use findling_engine::Mode;

use super::database::History;
use crate::collections::Home;
use crate::commands::eval::tune::{Choice, choose};
use crate::commands::eval::{Judged, embed};
use crate::commands::open_bundle::find_target;
use crate::commands::search::{Output, Ranking, finish, load_encoder};
use crate::commands::vector_name::VectorName;
use crate::commands::{confirmed, learned};
use crate::eval::judged::Query;
use crate::eval::tune::MIN_QUERIES;
use crate::host::{EncoderChoice, Host};
use crate::output::{Exit, UsageError};
use crate::ui::Ui;

/// The parameters that are fitted: the weight of meaning, and boosts.
const FITTED: [&str; 9] = [
    "meaning",
    "meaningInSentences",
    "title",
    "path",
    "heading",
    "headingsAbove",
    "code",
    "titleIsQuery",
    "headingIsQuery",
];

/// Fit the ranking of a bundle to the feedback on its hits, on this machine
///
/// Fits the weight of search by meaning and the boosts of titles, headings and code. Shows the
/// change of nDCG@10 on queries that the fit has not seen, and asks before it is used. If the gain
/// may be chance, nothing changes. Nothing is sent anywhere.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = crate::commands::BUNDLE_HELP)]
    bundle: PathBuf,
    /// Rank as the bundle says again
    #[arg(long)]
    forget: bool,
    /// Use it without asking
    #[arg(short, long)]
    yes: bool,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || learn(&args, ui))
}

fn learn(args: &Args, ui: &Ui) -> Result<Exit> {
    let target = find_target(&args.bundle, &VectorName::default(), ui)?;
    let (home, name) = (Home::default_location()?, target.lasting_name());
    if args.forget {
        learned::forget(&home, &name)?;
        ui.status("Forgot", format!("what was learned for {name}"));
        return Ok(Exit::Found);
    }
    let judgements = match History::open(&home)? {
        Some(history) => history.judgements(&name)?,
        None => Default::default(),
    };
    let judged = judgements.into_iter().filter(|(_, pages)| pages.values().any(|&grade| grade > 0));
    let mut judged: Vec<Judged> = judged
        .map(|(text, judgements)| Judged {
            query: Query { id: text.clone(), text },
            judgements,
            vector: None,
        })
        .collect();
    if judged.len() < MIN_QUERIES {
        let message = format!(
            "expected feedback on at least {MIN_QUERIES} queries to {name} with a good hit, \
             found {}: judge more hits with `findling feedback N good`",
            judged.len()
        );
        return Err(UsageError { code: "feedback", message }.into());
    }
    let mut host = Host::open(target.location())?;
    let encoder = load_encoder(&host, &EncoderChoice::Auto, Mode::Hybrid, ui)?;
    let mode = if encoder.is_some() { Mode::Hybrid } else { Mode::Lexical };
    if let Some(encoder) = &encoder {
        embed(encoder, &mut judged, ui)?;
    }
    let fitted = |name: &str| FITTED.contains(&name);
    let choice = choose(&mut host, vec![mode], &judged, &Ranking::default(), fitted, ui)?;
    choice.print(args.json, ui)?;
    use_it(&choice, &home, &name, args, ui)
}

/// Keeps what was chosen, if the gain holds and the user agrees.
fn use_it(choice: &Choice, home: &Home, name: &str, args: &Args, ui: &Ui) -> Result<Exit> {
    if !choice.holds() {
        return Ok(Exit::Nothing);
    }
    let question = format!("Rank {name} so from now on?");
    confirmed(args.yes, &question, "the ranking stays as it is", ui)?;
    learned::keep(home, name, &choice.setting)?;
    ui.status("Learned", format!("{name}; `findling learn {name} --forget` undoes it"));
    Ok(Exit::Found)
}
