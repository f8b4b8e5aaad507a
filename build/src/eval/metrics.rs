//! Measures of one ranked list against its judgements, and their means over queries; as `trec_eval`
//! defines them.

use std::collections::BTreeMap;

/// Judgements of one query: document id to grade. Documents without a judgement or with a grade of
/// 0 or less are not relevant.
pub type Judgements = BTreeMap<String, i32>;

/// Measures of one ranked list, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Measures {
    /// Normalised discounted cumulated gain of the first 10 (Järvelin and Kekäläinen, 2002): the
    /// grade itself is the gain, the discount is log2(rank + 1).
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// Share of the relevant documents among the first 10.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// Share of the relevant documents among the first 100.
    #[serde(rename = "recall@100")]
    pub recall_100: f64,
    /// 1 / rank of the first relevant document, 0 beyond rank 10.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
}

impl Measures {
    /// Measures a ranked list. A repeated document counts at its first rank.
    pub fn of(ranked: &[&str], judgements: &Judgements) -> Measures {
        let mut seen = std::collections::BTreeSet::new();
        let grades: Vec<i32> = ranked
            .iter()
            .filter(|id| seen.insert(**id))
            .map(|id| judgements.get(*id).copied().unwrap_or(0).max(0))
            .collect();
        let mut ideal: Vec<i32> = judgements.values().copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let n_relevant = ideal.len();
        if n_relevant == 0 {
            return Measures::default();
        }
        let found = |k: usize| grades.iter().take(k).filter(|&&grade| grade > 0).count() as f64;
        let first = grades.iter().take(10).position(|&grade| grade > 0);
        Measures {
            ndcg_10: dcg(&grades, 10) / dcg(&ideal, 10),
            recall_10: found(10) / n_relevant as f64,
            recall_100: found(100) / n_relevant as f64,
            mrr_10: first.map_or(0.0, |place| 1.0 / (place + 1) as f64),
        }
    }

    /// Returns the mean of each measure; 0 for no lists.
    pub fn mean(all: &[Measures]) -> Measures {
        let n = all.len().max(1) as f64;
        let mean = |measure: fn(&Measures) -> f64| all.iter().map(measure).sum::<f64>() / n;
        Measures {
            ndcg_10: mean(|m| m.ndcg_10),
            recall_10: mean(|m| m.recall_10),
            recall_100: mean(|m| m.recall_100),
            mrr_10: mean(|m| m.mrr_10),
        }
    }
}

fn dcg(grades: &[i32], k: usize) -> f64 {
    grades
        .iter()
        .take(k)
        .enumerate()
        .map(|(place, &grade)| f64::from(grade) / ((place + 2) as f64).log2())
        .sum()
}

/// Returns the percentile of `sorted` by nearest rank: the smallest value that `percent` in 100 do
/// not exceed. `None` if there are no values.
pub fn nearest_rank<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// Percentiles of a set of times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Latency {
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

impl Latency {
    /// Returns percentiles by nearest rank; 0 for no times.
    pub fn of(times: &[std::time::Duration]) -> Latency {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let at =
            |percent| nearest_rank(&sorted, percent).map_or(0.0, |time| time.as_secs_f64() * 1e3);
        Latency { p50: at(50), p95: at(95), p99: at(99), max: at(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn judgements(grades: &[(&str, i32)]) -> Judgements {
        grades.iter().map(|(id, grade)| (id.to_string(), *grade)).collect()
    }

    fn close(got: f64, expect: f64) {
        assert!((got - expect).abs() < 1e-4, "got {got}, expected {expect}");
    }

    #[test]
    fn graded_judgements_by_hand() {
        // Gains 0, 3, 0, 1: DCG = 3 / log2 3 + 1 / log2 5 = 1.89279 + 0.43068 = 2.32346.
        // Ideal 3, 2, 1: 3 + 2 / log2 3 + 1 / 2 = 4.76186.
        let judged = judgements(&[("a", 3), ("b", 2), ("c", 1), ("d", 0), ("e", -1)]);
        let got = Measures::of(&["d", "a", "x", "c", "e"], &judged);
        close(got.ndcg_10, 2.323466 / 4.761860);
        close(got.recall_10, 2.0 / 3.0);
        close(got.recall_100, 2.0 / 3.0);
        close(got.mrr_10, 0.5);
    }

    #[test]
    fn cut_offs_by_hand() {
        let names: Vec<String> = (1..=120).map(|n| n.to_string()).collect();
        let ranked: Vec<&str> = names.iter().map(String::as_str).collect();
        // Relevant at ranks 10, 11, 100 and 101.
        let judged = judgements(&[("10", 1), ("11", 1), ("100", 1), ("101", 1)]);
        let got = Measures::of(&ranked, &judged);
        // 1 / log2 11 = 0.28906; ideal 1 + 0.63093 + 0.5 + 0.43068 = 2.56161.
        close(got.ndcg_10, 0.289065 / 2.561606);
        close(got.recall_10, 0.25);
        close(got.recall_100, 0.75);
        close(got.mrr_10, 0.1);
        let late = Measures::of(&ranked, &judgements(&[("11", 1)]));
        assert_eq!((late.mrr_10, late.ndcg_10, late.recall_100), (0.0, 0.0, 1.0));
    }

    #[test]
    fn a_perfect_list_scores_1_and_repeats_do_not_count() {
        let judged = judgements(&[("a", 2), ("b", 1)]);
        let perfect = Measures { ndcg_10: 1.0, recall_10: 1.0, recall_100: 1.0, mrr_10: 1.0 };
        assert_eq!(Measures::of(&["a", "a", "b"], &judged), perfect);
        assert_eq!(Measures::of(&[], &judged), Measures::default());
        assert_eq!(Measures::of(&["a"], &judgements(&[("a", 0)])), Measures::default());
    }

    #[test]
    fn more_relevant_documents_than_places() {
        let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let ranked: Vec<&str> = names.iter().map(String::as_str).collect();
        let judged = names.iter().map(|n| (n.clone(), 1)).collect();
        let got = Measures::of(&ranked, &judged);
        assert_eq!((got.ndcg_10, got.recall_10, got.recall_100), (1.0, 0.5, 1.0));
    }

    #[test]
    fn means_and_percentiles() {
        let one = Measures { ndcg_10: 1.0, recall_10: 0.5, recall_100: 1.0, mrr_10: 0.2 };
        let mean = Measures::mean(&[one, Measures::default()]);
        assert_eq!(
            (mean.ndcg_10, mean.recall_10, mean.recall_100, mean.mrr_10),
            (0.5, 0.25, 0.5, 0.1)
        );
        assert_eq!(Measures::mean(&[]), Measures::default());
        let times: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(Latency::of(&times), Latency { p50: 100.0, p95: 190.0, p99: 198.0, max: 200.0 });
        assert_eq!(
            Latency::of(&times[..1]),
            Latency { p50: 200.0, p95: 200.0, p99: 200.0, max: 200.0 }
        );
        assert_eq!(Latency::of(&[]), Latency::default());
    }
}
