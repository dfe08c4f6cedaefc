import { type Name } from '../../syntax/cypher-ast.js';
import { spend } from '../../syntax/effort.js';

/** Makes a test of the labels of a node: the node needs at least one label of every group. Equal groups are tested once. */
export function labelTest(groups: readonly (readonly Name[])[]): (labels: readonly string[]) => boolean {
  const names = groups.map(group => group.map(({ name }) => name));
  const sets = new Map(names.map(each => [JSON.stringify(each), new Set(each)]));
  const wanted = [...sets.values()];
  return labels => {
    spend(wanted.length);
    return wanted.every(names => labels.some(label => names.has(label)));
  };
}
