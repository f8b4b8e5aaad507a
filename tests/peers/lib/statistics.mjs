// Numbers that summarise many others.

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const ascending = (values) => [...values].sort((a, b) => a - b);

/** The middle value; the mean of the two in the middle if there are as many above as below. */
export function median(values) {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The `share` quantile, by the nearest rank: always one of the values. */
export function quantile(values, share) {
  const sorted = ascending(values);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
