import { type MetricWarning } from './execute.dto.js';
import { toWireValue } from './wire-values.js';

describe('toWireValue', () => {
  it('answers numbers that are none with null, and says so once', () => {
    const warnings: MetricWarning[] = [];
    expect(['NaN', 'Infinity', '-Infinity', '1.5'].map(value => toWireValue(value, 'decimal', warnings))).toEqual([
      null,
      null,
      null,
      '1.5',
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['NOT_A_NUMBER']);
  });

  it('leaves texts as they are, whatever their words', () => {
    const warnings: MetricWarning[] = [];
    expect(['NaN', 'Infinity'].map(value => toWireValue(value, 'string', warnings))).toEqual(['NaN', 'Infinity']);
    expect(warnings).toEqual([]);
  });
});
