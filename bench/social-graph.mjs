// A generated social graph: people who follow each other, with hubs, and who live in cities and like interests.

/** Returns a generator of numbers in [0, 1) (mulberry32). The same seed gives the same numbers. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const [cities, interests, followsEach, likesEach] = [300, 50, 24, 3];
/** A larger exponent gives more of the follows to the hubs. */
const skew = 2.2;

/** @returns columns as arrays of numbers */
export function socialGraph(people, seed = 7) {
  const random = randomOf(seed);
  const count = people * followsEach;
  const [sources, targets] = [new Uint32Array(count), new Uint32Array(count)];
  for (let person = 0, at = 0; person < people; person++) {
    const chosen = new Set([person]);
    while (chosen.size <= followsEach) {
      const target = (Math.floor(people * random() ** skew) * 7919) % people;
      if (chosen.has(target)) continue;
      chosen.add(target);
      sources[at] = person;
      targets[at++] = target;
    }
  }
  const ages = Uint32Array.from({ length: people }, () => 15 + Math.floor(random() * 70));
  const cityOf = Uint32Array.from({ length: people }, () => Math.floor(cities * random() ** 2));
  const likes = Array.from({ length: people }, () => {
    const liked = new Set();
    while (liked.size < likesEach) liked.add(Math.floor(interests * random()));
    return [...liked];
  });
  return { people, cities, interests, sources, targets, ages, cityOf, likes };
}

/** The tables of the graph as CSV. */
export function tablesOf(graph) {
  const { people, sources, targets, ages, cityOf, likes } = graph;
  return {
    social_people: csvOf('id,name,age,city', people, i => `${i},Person ${i},${ages[i]},${cityOf[i]}`),
    social_cities: csvOf('id,name', graph.cities, i => `${i},City ${i}`),
    social_interests: csvOf('id,name', graph.interests, i => `${i},Interest ${i}`),
    social_follows: csvOf('src,dst', sources.length, i => `${sources[i]},${targets[i]}`),
    social_likes: csvOf('person,interest', people * likesEach, i => {
      const person = Math.floor(i / likesEach);
      return `${person},${likes[person][i % likesEach]}`;
    }),
  };
}

/** Yields a table as CSV, in chunks of about a megabyte. */
export async function* csvOf(head, count, lineOf) {
  let text = `${head}\n`;
  for (let i = 0; i < count; i++) {
    text += `${lineOf(i)}\n`;
    if (text.length < 1 << 20) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

const node = (id, label, table, columns) =>
  `  - {id: ${id}, label: ${label}, table: ${table}, key: [id], display: name, columns: [${columns}]}\n`;
const edge = (type, table, [from, fromColumn], [to, toColumn]) =>
  `  - {type: ${type}, table: ${table}, from: {node: ${from}, match: {${fromColumn}: id}}, to: {node: ${to}, match: {${toColumn}: id}}}\n`;
const [id, name, age] = ['id, type: int', 'name, type: string', 'age, type: int'].map(
  each => `{column: ${each.split(',')[0]}, property: ${each}}`,
);

export const socialMapping = `version: 1
source: {connection: pg_mirror, statement_timeout: 1h}
nodes:
${node('person', 'Person', 'social_people', `${id}, ${name}, ${age}`)}${node('city', 'City', 'social_cities', `${id}, ${name}`)}${node('interest', 'Interest', 'social_interests', `${id}, ${name}`)}edges:
${edge('FOLLOWS', 'social_follows', ['person', 'src'], ['person', 'dst'])}${edge('LIVES_IN', 'social_people', ['person', 'id'], ['city', 'city'])}${edge('LIKES', 'social_likes', ['person', 'person'], ['interest', 'interest'])}`;
