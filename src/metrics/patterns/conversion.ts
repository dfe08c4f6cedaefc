import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern, type Value } from './metric-pattern.js';

/**
 * Pattern 10: each event is credited to the latest base event of its entity before the event. The rate is the number of credited events
 * divided by the number of base events.
 */
export const conversion: MetricPattern<Extract<Formula, { kind: 'conversion' }>> = {
  plan({ mode, entity, within }, planner) {
    const { base, credited } = planner.conversion({
      entity,
      within: within && { count: within.count, unit: within.grain },
      countsNone: mode === 'COUNT',
    });
    if (mode === 'COUNT') return credited;
    const rate: Value = { kind: 'binary', op: '/', left: credited, right: base };
    planner.warnIf({ code: 'RATE_ABOVE_ONE', value: rate, op: '>', than: 1 });
    return rate;
  },
};
