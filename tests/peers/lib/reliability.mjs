// The agreement of probabilities with observations (Murphy and Winkler, Applied Statistics, 1977):
// the reliability of estimates, by bins.

/** The middle of the ranges of estimates. */
const BINS = 10;

/**
 * Estimates as `{ estimate, isRight, weight }` in ten bins: how many, their mean estimate, and the
 * weighted share that is right.
 */
export function bins(estimates) {
  const all = Array.from({ length: BINS }, () => []);
  for (const each of estimates)
    all[Math.min(BINS - 1, Math.floor(each.estimate * BINS))].push(each);
  return all.map((inside, at) => {
    const weight = sum(inside, ({ weight }) => weight);
    return {
      from: at / BINS,
      to: (at + 1) / BINS,
      right: inside.filter(({ isRight }) => isRight).length,
      wrong: inside.filter(({ isRight }) => !isRight).length,
      weight,
      estimate: sum(inside, (each) => each.weight * each.estimate) / weight,
      observed: sum(inside, (each) => each.weight * (each.isRight ? 1 : 0)) / weight,
    };
  });
}

const sum = (list, of) => list.reduce((total, each) => total + of(each), 0);

/** The mean squared error of estimates (Brier, Monthly Weather Review, 1950). */
export const brier = (estimates) =>
  sum(estimates, ({ estimate, isRight, weight }) => weight * (estimate - (isRight ? 1 : 0)) ** 2) /
  sum(estimates, ({ weight }) => weight);

/** The mean distance of estimates and observed shares, over bins by their weight. */
export function calibrationError(estimates) {
  const filled = bins(estimates).filter(({ weight }) => weight > 0);
  const off = sum(filled, (bin) => bin.weight * Math.abs(bin.estimate - bin.observed));
  return off / sum(filled, ({ weight }) => weight);
}

/** Weights that make the share of right estimates `base`. */
export function weighted(estimates, base) {
  const right = estimates.filter(({ isRight }) => isRight).length;
  const wrong = estimates.length - right;
  return estimates.map((each) => ({
    ...each,
    weight: each.isRight ? base / right : (1 - base) / wrong,
  }));
}

/** An estimate, adjusted to a share of right ones that differs from the share in the fit. */
export function shifted(estimate, from, to) {
  const odds = (share) => share / (1 - share);
  const moved = (odds(estimate) / odds(from)) * odds(to);
  return Number.isFinite(moved) ? moved / (1 + moved) : 1;
}

/** The area under the curve of true and false positives: ties count as half. */
export function area(estimates) {
  const sorted = [...estimates].sort((a, b) => a.estimate - b.estimate);
  let [at, ranks] = [0, 0];
  while (at < sorted.length) {
    let end = at;
    while (end < sorted.length && sorted[end].estimate === sorted[at].estimate) end++;
    const right = sorted.slice(at, end).filter(({ isRight }) => isRight).length;
    ranks += (right * (at + 1 + end)) / 2;
    at = end;
  }
  const right = estimates.filter(({ isRight }) => isRight).length;
  return (ranks - (right * (right + 1)) / 2) / (right * (estimates.length - right));
}

/**
 * A logistic map of the log-odds of estimates, `a + b * logit`, that fits the weighted estimates
 * best (Platt, 1999), by Newton's method.
 */
export function recalibration(estimates) {
  let [a, b] = [0, 1];
  for (let step = 0; step < 50; step++) {
    let [ga, gb, haa, hab, hbb] = [0, 0, 1e-9, 0, 1e-9];
    for (const { estimate, isRight, weight } of estimates) {
      const x = logit(estimate);
      const p = 1 / (1 + Math.exp(-(a + b * x)));
      const error = weight * ((isRight ? 1 : 0) - p);
      const h = weight * p * (1 - p);
      ga += error;
      gb += error * x;
      haa += h;
      hab += h * x;
      hbb += h * x * x;
    }
    const det = haa * hbb - hab * hab;
    a += (hbb * ga - hab * gb) / det;
    b += (haa * gb - hab * ga) / det;
  }
  return { a, b };
}

/** The log-odds of an estimate, finite. */
export function logit(estimate) {
  const p = Math.min(1 - 1e-6, Math.max(1e-6, estimate));
  return Math.log(p / (1 - p));
}
