import { type MetricTurns } from './metric-turns.js';
import { MetricsService } from './metrics.service.js';
import { type MetricsRepository } from './metrics.repository.js';

describe('the catalog of a graph', () => {
  it('is read once at a time, and answers everybody while the metrics change again and again', async () => {
    let version = 1;
    let going = 0;
    const atOnce: number[] = [];
    const metrics = {
      versionOf: () => Promise.resolve(String(version)),
      openGraph: async () => {
        atOnce.push(++going);
        await new Promise(resolve => setImmediate(resolve));
        going--;
        return { all: [] };
      },
    } as unknown as MetricsRepository;
    const service = new MetricsService(metrics, {} as MetricTurns);
    const asked: Promise<unknown>[] = [];
    for (; version <= 5; version++) {
      asked.push(service.catalog(1));
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(await Promise.all(asked)).toEqual(asked.map(() => []));
    expect(new Set(atOnce)).toEqual(new Set([1]));
    expect(atOnce.length).toBeLessThan(5);
  });
});
