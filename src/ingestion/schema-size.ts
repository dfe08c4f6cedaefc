import { type Target } from './staging/target.js';

/** Size of a graph's schema: `names` are labels and edge types. Each is counted once for each job, with its aliases and properties. */
export interface SchemaSize {
  names: number;
  aliases: number;
  properties: number;
}

/** Every question and query reads the whole schema, in time that grows with these. */
export const mostInSchema: SchemaSize = { names: 2_000, aliases: 10_000, properties: 20_000 };

export function sizeOfTargets(targets: readonly Target[]): SchemaSize {
  return targets.reduce<SchemaSize>(
    ({ names, aliases, properties }, { kind, element }) => {
      const further = kind === 'node' ? element.labels : [];
      return {
        names: names + 1 + further.length,
        aliases: aliases + [element, ...further].reduce((sum, each) => sum + each.aliases.length, 0),
        properties: properties + element.columns.length,
      };
    },
    { names: 0, aliases: 0, properties: 0 },
  );
}
