//! Limits on a request's numbers and on fields that exclude each other.

use super::{Fusion, Request};
use crate::api::{Error, MAX_LIMIT, MAX_PHRASINGS};

/// Checks the numbers of a request.
pub(super) fn validate(request: &Request) -> Result<(), Error> {
    let refuse = |message: String| Err(Error::Request { message });
    if request.limit.0 > MAX_LIMIT {
        return refuse(format!(
            "expected a limit of at most {MAX_LIMIT} pages, found {}; use offset for further ones",
            request.limit.0
        ));
    }
    let (valid, expected) = match request.fusion {
        Fusion::Rrf { k, dense_weight } => (
            k.is_finite() && k >= 0.0 && dense_weight.is_finite() && dense_weight >= 0.0,
            "rrf with k and denseWeight of 0 or more",
        ),
        Fusion::Convex { alpha } => (
            alpha.is_none_or(|alpha| (0.0..=1.0).contains(&alpha)),
            "convex with alpha from 0 to 1",
        ),
    };
    if !valid {
        return refuse(format!(
            "expected {expected}, found {:?}; leave fusion out for the default",
            request.fusion
        ));
    }
    if let Some(prefer) = &request.prefer {
        let half = prefer.half.unwrap_or(1.0);
        if !((0.0..=1.0).contains(&prefer.share) && half > 0.0 && half.is_finite()) {
            return refuse(
                "expected prefer with a share from 0 to 1 and a half above 0, found others".into(),
            );
        }
    }
    let n_also = request.also.len();
    if n_also > MAX_PHRASINGS {
        return refuse(format!(
            "expected at most {MAX_PHRASINGS} other phrasings, found {n_also}; omit some"
        ));
    }
    if n_also > 0 && (request.similar_to.is_some() || request.why.is_some()) {
        return refuse("expected no other phrasings beside similarTo or why; omit also".into());
    }
    if request.every_word && request.why.is_some() {
        return refuse("expected everyWord or why, found both; leave one of them out".into());
    }
    if request.similar_to.is_some()
        && (!request.query.trim().is_empty() || request.vector.is_some())
    {
        return refuse("expected a query or similarTo, found both; leave one of them out".into());
    }
    Ok(())
}
