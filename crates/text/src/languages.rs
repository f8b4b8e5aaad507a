//! The rules of each language, one function a language.
//!
//! The engine for browsers is split by these functions: each is a separate part with everything
//! that only this language needs (`crates/xtask/src/deferred/mod.rs`). So none may be inlined, and
//! none may return anything: a function that does nothing replaces the languages that a site does
//! not use.

#![doc(alias = "deferred, each function a part")]

use rust_stemmers::{Algorithm, Stemmer};

use crate::rules::Rules;
use crate::{stop, variants};

/// Arabic.
#[inline(never)]
pub(crate) fn ar(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Arabic));
}

/// Danish.
#[inline(never)]
pub(crate) fn da(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Danish));
    rules.stop_words = stop::DA;
}

/// German.
#[inline(never)]
pub(crate) fn de(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::German));
    rules.stop_words = stop::DE;
    rules.respell = Some(variants::umlauts);
}

/// Greek.
#[inline(never)]
pub(crate) fn el(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Greek));
}

/// English.
#[doc(alias = "not deferred")]
#[inline(never)]
pub(crate) fn en(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::English));
    rules.stop_words = stop::EN;
}

/// Spanish.
#[inline(never)]
pub(crate) fn es(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Spanish));
    rules.stop_words = stop::ES;
}

/// Finnish.
#[inline(never)]
pub(crate) fn fi(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Finnish));
    rules.stop_words = stop::FI;
}

/// French.
#[inline(never)]
pub(crate) fn fr(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::French));
    rules.stop_words = stop::FR;
}

/// Hungarian.
#[inline(never)]
pub(crate) fn hu(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Hungarian));
}

/// Italian.
#[inline(never)]
pub(crate) fn it(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Italian));
    rules.stop_words = stop::IT;
}

/// Dutch.
#[inline(never)]
pub(crate) fn nl(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Dutch));
    rules.stop_words = stop::NL;
}

/// Norwegian.
#[inline(never)]
pub(crate) fn no(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Norwegian));
    rules.stop_words = stop::NO;
}

/// Portuguese.
#[inline(never)]
pub(crate) fn pt(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Portuguese));
    rules.stop_words = stop::PT;
}

/// Romanian.
#[inline(never)]
pub(crate) fn ro(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Romanian));
}

/// Russian.
#[inline(never)]
pub(crate) fn ru(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Russian));
    rules.stop_words = stop::RU;
}

/// Swedish.
#[inline(never)]
pub(crate) fn sv(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Swedish));
    rules.stop_words = stop::SV;
}

/// Tamil.
#[inline(never)]
pub(crate) fn ta(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Tamil));
}

/// Turkish.
#[inline(never)]
pub(crate) fn tr(rules: &mut Rules) {
    rules.stemmer = Some(Stemmer::create(Algorithm::Turkish));
}
