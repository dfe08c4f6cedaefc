import { type FieldProblem } from '../../common/errors/api-error.js';
import { findDimension, type MetricBinding, namedColumns } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan } from './plan-metric.js';

/** Checks the conditions on the names in a request. Each problem is reported once for all scans. */
export function checkNames(request: MetricRequest, bindings: MetricBinding[], problems: FieldProblem[]): void {
  const known = (names: (binding: MetricBinding) => string[]) => {
    const [first = [], ...others] = bindings.map(names);
    return first.filter(name => others.every(each => each.includes(name)));
  };
  const dimensions = known(binding => binding.dimensions.map(each => each.name));
  const seen = new Set<string>();
  request.dimensions.forEach((name, index) => {
    const loc = ['body', 'dimensions', index];
    const found = bindings.map(binding => findDimension(binding, name)?.name);
    if (found.includes(undefined)) {
      const list = dimensions.join(', ');
      problems.push({
        loc,
        text: { zh: `没有维度“${name}”，可用：${list}`, en: `there is no dimension '${name}'; known: ${list}` },
        type: 'unknown_dimension',
        known: dimensions,
      });
    } else if (seen.has(found[0] ?? '')) {
      problems.push({ loc, text: { zh: '维度重复', en: 'the dimension is there twice' }, type: 'duplicate' });
    }
    seen.add(found[0] ?? '');
  });
  request.filters.forEach(({ field }, index) => {
    if (bindings.every(binding => namedColumns(binding).has(field))) return;
    const fields = known(binding => [...namedColumns(binding).keys()]);
    const list = fields.slice(0, 50).join(', ');
    problems.push({
      loc: ['body', 'filters', index, 'field'],
      text: { zh: `没有字段“${field}”，可用：${list}`, en: `there is no field '${field}'; known: ${list}` },
      type: 'unknown_field',
      known: fields.slice(0, 50),
    });
  });
}

/** `fill: zero` puts a zero into empty periods, before the arithmetic. It is only allowed if the value of no rows is zero. */
export function checkZeroFill(scans: Scan[], problems: FieldProblem[]): void {
  const aggregates = scans.flatMap(scan => [...scan.columns.values()].map(column => column.aggregate));
  const other = aggregates.find(aggregate => !aggregate.fillsWithZero);
  if (!other) return;
  const text = { zh: `${other.name} 没有零值，请用 fill: null`, en: `${other.name} of nothing is not zero: use fill: null` };
  problems.push({ loc: ['body', 'time', 'fill'], text, type: 'fill_not_additive' });
}
