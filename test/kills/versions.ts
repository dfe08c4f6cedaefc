import { type Dice } from '../support/dice.js';

/** Content of a source, and of the graph that is made from it. */
export interface Version {
  things: Map<number, { name: string; n: number }>;
  links: Map<number, { a: number; b: number; w: number }>;
}

const mostIds = 1_000;

export function firstVersion(dice: Dice): Version {
  return nextVersion(dice, { things: new Map(), links: new Map() });
}

/** Changes a fifth of the rows, removes some and adds others. */
export function nextVersion(dice: Dice, before: Version): Version {
  const version: Version = { things: new Map(), links: new Map() };
  const name = (): string => dice.of(['华为', 'a\\N\t', '"x"', 'Müller', '😀']) + dice.below(1_000);
  for (let id = 0; id < mostIds; id++) {
    const old = before.things.get(id);
    if (dice.chance(0.1)) continue;
    version.things.set(id, old && dice.chance(0.8) ? old : { name: name(), n: dice.below(1_000_000) });
  }
  const ids = [...version.things.keys()];
  for (let key = 0; key < mostIds; key++) {
    const old = before.links.get(key);
    if (dice.chance(0.1)) continue;
    const isKept = old && version.things.has(old.a) && version.things.has(old.b) && dice.chance(0.8);
    version.links.set(key, isKept ? old : { a: dice.of(ids), b: dice.of(ids), w: dice.below(1_000) });
  }
  return version;
}

export const empty: Version = { things: new Map(), links: new Map() };

/** The expected lines of `KillWorld.contentOf` for a graph of this version. */
export function contentOf({ things, links }: Version): string[] {
  const nodes = [...things].map(([id, { name, n }]) => `T ${id} ${name} ${n}`);
  const edges = [...links].map(([key, { a, b, w }]) => `L ${a} ${b} ${key} ${w}`);
  return [...nodes, ...edges].sort();
}

export const mappingOf = (connection: string, things: string, links: string): string => `version: 1
source: {connection: ${connection}}
nodes:
  - id: t
    label: T
    table: ${things}
    key: [id]
    columns: [{column: id, type: int}, {column: name}, {column: n, type: int}]
edges:
  - type: L
    table: ${links}
    from: {node: t, match: {a: id}}
    to: {node: t, match: {b: id}}
    key: [k]
    columns: [{column: w, type: int}]
`;
