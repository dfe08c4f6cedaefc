import { type Pattern } from '../formula/formula-tree.js';
import { accumulate } from './accumulate.js';
import { aggregate } from './aggregate.js';
import { arithmetic } from './arithmetic.js';
import { conversion } from './conversion.js';
import { countDistinct } from './count-distinct.js';
import { type MetricPattern } from './metric-pattern.js';
import { periodOverPeriod } from './period-over-period.js';
import { quantile } from './quantile.js';
import { ratio } from './ratio.js';
import { shareOfTotal } from './share-of-total.js';
import { weightedAverage } from './weighted-average.js';

/** All patterns, in the order of the documentation. */
export const registry: Record<Pattern, MetricPattern> = {
  aggregate,
  count_distinct: countDistinct,
  quantile,
  weighted_average: weightedAverage,
  ratio,
  arithmetic,
  accumulate,
  period_over_period: periodOverPeriod,
  share_of_total: shareOfTotal,
  conversion,
};
