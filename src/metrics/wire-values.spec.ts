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

  it('writes the years of dates and times as ISO 8601 has them', () => {
    expect(toWireValue('0044-03-15 BC', 'date', [])).toBe('-0043-03-15');
    expect(toWireValue('0044-03-15 12:00:00+08:05:43 BC', 'datetime', [])).toBe('-0043-03-15T12:00:00+08:05:43');
    expect(toWireValue('2024-03-15T12:00:00', 'datetime', [])).toBe('2024-03-15T12:00:00');
    expect(toWireValue('0044-03-15 BC', 'string', [])).toBe('0044-03-15 BC');
  });

  it('leaves texts as they are, whatever their words', () => {
    const warnings: MetricWarning[] = [];
    expect(['NaN', 'Infinity'].map(value => toWireValue(value, 'string', warnings))).toEqual(['NaN', 'Infinity']);
    expect(warnings).toEqual([]);
  });
});
