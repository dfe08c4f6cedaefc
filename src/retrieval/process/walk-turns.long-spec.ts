import { denseGraph } from '../../../test/support/dense-graph.js';
import { processorMs } from '../../../test/support/processor-time.js';
import { prepareInMemory } from '../../cypher/executors/memory/run-in-memory.js';
import { parseCypher } from '../../cypher/syntax/parse-cypher.js';

const limits = { steps: 30_000_000, heldBytes: 67_108_864 };
const now = { epochNanoseconds: 0n, timeZone: 'UTC' };
/** Ten times as long as a query may hold a thread, since the machine may be slow and the garbage collector may be running. */
const mostMsOfProcessor = 500;
const turns = 2_000;

describe('no walk holds a thread', () => {
  const graph = denseGraph(60_000, 200_000);

  it.each([
    'MATCH p = (a {x: 1})-[*]-(b) RETURN count(p)',
    'MATCH p = (a {x: 1})-[*]-(b) RETURN max(length(p))',
    'MATCH (a {x: 1})-[r*]-(b) RETURN max(size(r))',
    'MATCH p = (b)-[*]-(a {x: 1}) RETURN count(DISTINCT p)',
    'MATCH p = (a {x: 1})-[*]-(b {x: 77}) RETURN count(p)',
    'MATCH p = (a {x: 1})-[*]-(b)-->(c) RETURN count(DISTINCT length(p))',
    'MATCH p = allShortestPaths((a {x: 1})-[*]-(b {x: 77})) RETURN count(p)',
    'MATCH (a)-->(b)--(c)<--(d) RETURN count(*)',
    'MATCH (a {x: 1})--()--()--()--()--() RETURN count(*)',
    `MATCH (a)-->(b) WHERE ${Array(900).fill('a.z>0').join(' AND ')} RETURN count(*)`,
    `MATCH (a)-->(b)-->(c) WHERE ${Array(60).fill('c.z>0').join(' AND ')} RETURN a.y, count(*)`,
    `MATCH (a {x: 1})--(b)--(c) WHERE ${Array(60).fill('c.z>0').join(' AND ')} RETURN count(*)`,
  ])('%s, two at once', text => {
    const running = [1, 2].map(() => prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits, now }).rows());
    let longest = 0;
    for (let i = 0; i < turns && running.length > 0; i++)
      for (const rows of [...running]) {
        const begun = processorMs();
        let isDone = true;
        try {
          isDone = rows.next().done === true;
        } catch (error) {
          expect(error).toMatchObject({ status: 422 });
        }
        longest = Math.max(longest, processorMs() - begun);
        if (isDone) running.splice(running.indexOf(rows), 1);
      }
    for (const rows of running) rows.return(undefined);
    expect(longest).toBeLessThan(mostMsOfProcessor);
  });
});

describe.each([60_000, 16_000])('no condition of long texts holds a thread or is refused, with %i nodes', nodes => {
  const graph = denseGraph(nodes, 3 * nodes, 0.1, 300);

  it.each([
    "MATCH (n) WHERE n.t CONTAINS 'xxxxxxxxxxxx7' RETURN count(*) AS n",
    "MATCH (a:A)-[:R]->(b:B) WHERE b.t CONTAINS 'xxxxxxxxxxxx7' RETURN b.y, count(*) AS n",
    "MATCH (a:A)-[:R]->(b:B)-->(c) WHERE c.t CONTAINS 'xxxxxxxxxxxx7' AND b.t <> 'x' RETURN a.y, count(*) AS n",
    "MATCH (a {x: 1})--(b)--(c) WHERE c.t CONTAINS 'xxxxxxxxxxxx7' RETURN count(*) AS n",
  ])('%s', text => {
    const rows = prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits, now }).rows();
    let longest = 0;
    for (let isDone = false; !isDone;) {
      const begun = processorMs();
      isDone = rows.next().done === true;
      longest = Math.max(longest, processorMs() - begun);
    }
    expect(longest).toBeLessThan(mostMsOfProcessor);
  });
});

describe('no query takes memory of the size of the graph again and again', () => {
  const nodes = 400_000;
  const graph = denseGraph(nodes, 400_000);

  it('later shortest-path searches of a query use maps instead of arrays', () => {
    const searches = 'MATCH shortestPath((a)-[*]-(b)) '.repeat(100);
    const text = `MATCH (a)--()--(b) WHERE a.x <> b.x WITH a, b LIMIT 1 ${searches}RETURN count(*)`;
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    try {
      for (const row of prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits, now }).rows()) {
        expect(row === null || row.values.length === 1).toBe(true);
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
    } catch (error) {
      expect(error).toMatchObject({ status: 422 });
    }
    expect(most).toBeGreaterThan(8 * nodes);
    expect(most).toBeLessThan(200_000_000);
  });
});
