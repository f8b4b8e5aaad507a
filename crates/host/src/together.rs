//! Several bundles searched as one. Their scores can be compared, because all of them use the
//! statistics of all bundles.
//!
//! Each bundle counts the terms of the query. The counts are added up, and all bundles get the sum
//! ([`SharedStatistics`]). A bundle learns only such sums about the others.

use anyhow::{Context as _, Result};
use findling_bundle::ShardId;
use findling_engine::{Error, Fusion, Index, Mode, Request, Search, SharedStatistics, Statistics};
use findling_text::normalise::fold_into;
use rayon::prelude::*;

use super::{Cost, Host, QueryEncoder, embed_meant, replace_word};

/// A bundle and the request to it.
pub struct Asked<'a> {
    /// The bundle.
    pub host: &'a mut Host,
    /// The request. Its vector is replaced if the query is corrected.
    pub request: &'a mut Request,
    /// The encoder that embedded its query.
    pub encoder: Option<&'a QueryEncoder>,
}

/// Lets bundles score by the statistics of all of them, until [`part`]. Returns the error of each
/// bundle that cannot be read; the others score as if it were not there.
pub fn join(asked: &mut [Asked<'_>], relaxes: bool) -> Vec<Option<anyhow::Error>> {
    let mut bundles = AskedBundles { errors: asked.iter().map(|_| None).collect(), asked };
    loop {
        let n_failed = bundles.n_failed();
        bundles.join(relaxes);
        if bundles.n_failed() == n_failed {
            return bundles.errors;
        }
        // The sums include counts of a bundle that has failed now, so add them up again without it.
    }
}

/// Lets a bundle score by its own statistics again.
pub fn part(host: &mut Host) {
    host.index.set_statistics(Statistics::default());
}

/// The bundles, and the errors of the bundles that have failed.
struct AskedBundles<'a, 'b> {
    asked: &'a mut [Asked<'b>],
    errors: Vec<Option<anyhow::Error>>,
}

impl AskedBundles<'_, '_> {
    fn n_failed(&self) -> usize {
        self.errors.iter().flatten().count()
    }

    fn join(&mut self, relaxes: bool) {
        self.asked.iter_mut().for_each(|asked| part(asked.host));
        let able = self.asked.iter().zip(&self.errors).filter(|(_, error)| error.is_none());
        let manifests = able.map(|(asked, _)| &asked.host.manifest().stats);
        let mut shared = SharedStatistics::new(manifests);
        shared.relaxes = relaxes;
        self.count(&mut shared);
        let found = self.each(|asked| ask(asked, Search::misspellings));
        let is_corrected = shared.correct(found.into_iter().flatten());
        self.tell(&shared);
        if is_corrected {
            let _: Vec<()> = self.each(|asked| embed_corrected(asked, &shared));
            self.count(&mut shared);
        }
        let is_fused = |asked: &Asked<'_>| {
            let request = &asked.request;
            request.mode == Mode::Hybrid && matches!(request.fusion, Fusion::Convex { .. })
        };
        if self.asked.iter().any(is_fused) {
            for bests in self.each(|asked| ask(asked, Search::bests)) {
                shared.add_bests(bests);
            }
            self.tell(&shared);
        }
    }

    /// Adds up the frequencies of the query's terms.
    fn count(&mut self, shared: &mut SharedStatistics) {
        for terms in self.each(|asked| ask(asked, Search::terms)) {
            shared.add_terms(terms);
        }
        let terms = shared.uncounted();
        for counts in self.each(|asked| frequencies(asked, &terms)) {
            shared.add_frequencies(&terms, &counts);
        }
        shared.arrange();
        self.tell(shared);
    }

    fn tell(&mut self, shared: &SharedStatistics) {
        for asked in self.asked.iter_mut() {
            asked.host.index.set_statistics(shared.clone().into());
        }
    }

    /// Asks every bundle that has not failed, on all cores.
    fn each<T: Send>(&mut self, ask: impl Fn(&mut Asked<'_>) -> Result<T> + Sync) -> Vec<T> {
        let pairs = self.asked.par_iter_mut().zip(self.errors.par_iter_mut());
        let answers: Vec<Option<T>> = pairs
            .map(|(asked, error)| {
                if error.is_some() {
                    return None;
                }
                ask(asked).map_err(|found| *error = Some(found)).ok()
            })
            .collect();
        answers.into_iter().flatten().collect()
    }
}

/// The result of one step of a search: a value, or the missing shards.
type Part<T> = Result<Result<T, Vec<ShardId>>, Error>;

/// Does a part of a search in one bundle, and reads the missing shards.
fn ask<T>(asked: &mut Asked<'_>, part: impl Fn(&mut Search, &Index) -> Part<T>) -> Result<T> {
    let Asked { host, request, .. } = asked;
    host.followed(request.clone(), |host, request| {
        let mut search = host.index.search(request)?;
        loop {
            match part(&mut search, &host.index)? {
                Ok(answer) => return Ok(answer),
                Err(wanted) => host.read(wanted, &mut Cost::default())?,
            }
        }
    })
}

fn frequencies(asked: &mut Asked<'_>, terms: &[String]) -> Result<Vec<u32>> {
    let Asked { host, request, .. } = asked;
    host.followed(request.clone(), |host, _| {
        loop {
            match host.index.frequencies(terms) {
                Ok(counts) => return Ok(counts),
                Err(wanted) => host.read(wanted, &mut Cost::default())?,
            }
        }
    })
}

/// Embeds the corrected query.
fn embed_corrected(asked: &mut Asked<'_>, shared: &SharedStatistics) -> Result<()> {
    let Asked { request, encoder, .. } = asked;
    embed_meant(*encoder, request, |text| replaced(text, shared))
        .context("the corrected query cannot be embedded")?;
    Ok(())
}

/// Returns a text with its misspelled words replaced, regardless of case.
fn replaced(text: &str, shared: &SharedStatistics) -> String {
    let mut meant = text.to_owned();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut folded = String::new();
        fold_into(word, &mut folded);
        if let Some((_, new)) = shared.replacements().find(|(known, _)| *known == folded) {
            meant = replace_word(&meant, word, new);
        }
    }
    meant
}

#[cfg(test)]
mod tests;
