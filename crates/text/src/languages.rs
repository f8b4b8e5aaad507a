//! The rules of each language, one function a language.
//!
//! The engine for browsers is split by these functions: each is a separate part with everything
//! that only this language needs (`crates/xtask/src/deferred/mod.rs`). So none may be inlined, and
//! none may return anything: a function that does nothing replaces the languages that a site does
//! not use.

#![doc(alias = "deferred, each function a part")]

use rust_stemmers::{Algorithm, Stemmer};
use snowball_stemmers_rs as snowball;

use crate::rules::Rules;
use crate::{light, stop, variants};

/// Adds the rules of Arabic.
#[inline(never)]
pub(crate) fn ar(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Arabic).stem(word));
}

/// Adds the rules of Czech.
#[inline(never)]
pub(crate) fn cs(rules: &mut Rules) {
    rules.stem = Some(|word| snowball::Stemmer::create(snowball::Algorithm::Czech).stem(word));
    rules.respell = Some(light::czech);
}

/// Adds the rules of Danish.
#[inline(never)]
pub(crate) fn da(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Danish).stem(word));
    rules.stop_words = stop::DA;
}

/// Adds the rules of German.
#[inline(never)]
pub(crate) fn de(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::German).stem(word));
    rules.stop_words = stop::DE;
    rules.respell = Some(variants::umlauts);
}

/// Adds the rules of Greek.
#[inline(never)]
pub(crate) fn el(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Greek).stem(word));
}

/// Adds the rules of English.
#[doc(alias = "not deferred")]
#[inline(never)]
pub(crate) fn en(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::English).stem(word));
    rules.stop_words = stop::EN;
}

/// Adds the rules of Spanish.
#[inline(never)]
pub(crate) fn es(rules: &mut Rules) {
    rules.stem = Some(|word| snowball::Stemmer::create(snowball::Algorithm::Spanish).stem(word));
    rules.stop_words = stop::ES;
}

/// Adds the rules of Finnish.
#[inline(never)]
pub(crate) fn fi(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Finnish).stem(word));
    rules.stop_words = stop::FI;
}

/// Adds the rules of French.
#[inline(never)]
pub(crate) fn fr(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::French).stem(word));
    rules.stop_words = stop::FR;
}

/// Adds the rules of Hebrew.
#[inline(never)]
pub(crate) fn he(rules: &mut Rules) {
    rules.stem = Some(light::hebrew);
}

/// Adds the rules of Hindi.
#[inline(never)]
pub(crate) fn hi(rules: &mut Rules) {
    rules.stem = Some(|word| snowball::Stemmer::create(snowball::Algorithm::Hindi).stem(word));
    rules.respell = Some(light::devanagari);
}

/// Adds the rules of Hungarian.
#[inline(never)]
pub(crate) fn hu(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Hungarian).stem(word));
}

/// Adds the rules of Italian.
#[inline(never)]
pub(crate) fn it(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Italian).stem(word));
    rules.stop_words = stop::IT;
}

/// Adds the rules of Dutch.
#[inline(never)]
pub(crate) fn nl(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Dutch).stem(word));
    rules.stop_words = stop::NL;
}

/// Adds the rules of Norwegian.
#[inline(never)]
pub(crate) fn no(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Norwegian).stem(word));
    rules.stop_words = stop::NO;
}

/// Adds the rules of Polish.
#[inline(never)]
pub(crate) fn pl(rules: &mut Rules) {
    rules.stem = Some(|word| snowball::Stemmer::create(snowball::Algorithm::Polish).stem(word));
    rules.respell = Some(light::polish);
}

/// Adds the rules of Portuguese.
#[inline(never)]
pub(crate) fn pt(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Portuguese).stem(word));
    rules.stop_words = stop::PT;
    rules.respell = Some(light::portuguese);
}

/// Adds the rules of Romanian.
#[inline(never)]
pub(crate) fn ro(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Romanian).stem(word));
}

/// Adds the rules of Russian.
#[inline(never)]
pub(crate) fn ru(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Russian).stem(word));
    rules.stop_words = stop::RU;
}

/// Adds the rules of Swedish.
#[inline(never)]
pub(crate) fn sv(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Swedish).stem(word));
    rules.stop_words = stop::SV;
}

/// Adds the rules of Tamil.
#[inline(never)]
pub(crate) fn ta(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Tamil).stem(word));
}

/// Adds the rules of Turkish.
#[inline(never)]
pub(crate) fn tr(rules: &mut Rules) {
    rules.stem = Some(|word| Stemmer::create(Algorithm::Turkish).stem(word));
}

/// Adds the rules of Ukrainian.
#[inline(never)]
pub(crate) fn uk(rules: &mut Rules) {
    rules.stem = Some(|word| snowball::Stemmer::create(snowball::Algorithm::Ukrainian).stem(word));
}
