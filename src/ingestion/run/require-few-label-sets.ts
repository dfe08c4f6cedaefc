import { RunFailure } from '../../common/errors/run-failure.js';

/** The most different sets of labels in a graph. Queries go through all of them, and each of them is kept in memory. */
const most = 4_096;

/**
 * Checks the number of different sets of labels that the nodes of a graph have. Only nodes count whose main label has further labels in
 * some mapping.
 * @throws RunFailure when there are too many sets
 */
export function requireFewLabelSets(sets: number): void {
  if (sets <= most) return;
  throw new RunFailure(
    'too_many_label_sets',
    {
      zh: `图中的节点将带有 ${sets} 种不同的标签组合，最多 ${most} 种；图没有改变；请减少映射中带条件（when）的标签，把条件所看的列作为属性`,
      en: `the nodes of the graph would carry ${sets} different sets of labels, and ${most} are the most; the graph is as it was; map fewer labels with a condition (when), and the columns that the conditions look at as properties`,
    },
    { sets, most },
  );
}
