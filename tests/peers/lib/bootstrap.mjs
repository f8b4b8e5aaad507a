// The certainty of a difference of two means: the paired bootstrap (Efron and Tibshirani, 1993, ch.
// 13; for retrieval Sakai, SIGIR 2006).

import { random } from "../../e2e/lib/corpus.mjs";
import { mean } from "./statistics.mjs";

/**
 * The mean of `a - b` over the same queries, and the interval that contains it with 95% confidence:
 * the middle 95% of its values over resamples of the queries.
 */
export function pairedDifference(a, b, resamples = 10_000) {
  if (a.length !== b.length || a.length === 0)
    throw new Error(`expected the same queries on both sides, found ${a.length} and ${b.length}`);
  const differences = a.map((value, i) => value - b[i]);
  const next = random(differences.length);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++)
      sum += differences[Math.floor(next() * differences.length)];
    return sum / differences.length;
  }).sort((x, y) => x - y);
  return {
    mean: mean(differences),
    low: means[Math.floor(0.025 * resamples)],
    high: means[Math.ceil(0.975 * resamples) - 1],
  };
}
