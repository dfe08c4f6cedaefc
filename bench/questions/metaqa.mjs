// MetaQA's dev split (CC BY 3.0). The brackets around the topic are removed. One-hop questions are asked on kb.txt, the others on
// kb_plus.txt.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { report, round } from '../figures.mjs';
import { runJob } from '../runs.mjs';
import { randomOf } from '../social-graph.mjs';
import { ask, namesOf, timesOf } from './ask.mjs';

/** For each relation, the label of its object and the aliases of the relation, as the author of a mapping would write them. */
const relations = {
  directed_by: ['Person', ['director', 'directed']],
  written_by: ['Person', ['writer', 'screenwriter', 'wrote']],
  starred_actors: ['Person', ['actor', 'starred', 'acted in']],
  release_year: ['Year', ['released']],
  in_language: ['Language', ['language']],
  has_genre: ['Genre', ['genre']],
  has_tags: ['Tag', ['tag', 'about']],
  has_imdb_rating: ['Rating', ['rating']],
  has_imdb_votes: ['Votes', ['votes']],
};
const kinds = { Movie: ['film'], Person: [], Year: [], Language: [], Genre: [], Tag: ['topic', 'subject'], Rating: [], Votes: [] };

export async function benchMetaQa(service, api, { folder, sample, seed }) {
  if (!existsSync(folder)) return report('MetaQA', { skipped: `${folder} is not there` });
  const failures = new Map();
  for (const [graphFile, hops] of [
    ['kb.txt', [1]],
    ['kb_plus.txt', [2, 3]],
  ]) {
    const triples = triplesOf(await textOf(path.join(folder, graphFile)));
    const graph = await loadGraph(api, triples);
    const pathOf = pathsThrough(triples);
    for (const hop of hops) {
      const questions = await questionsOf(folder, hop, sample, seed);
      await benchHop(service, api, graph, { hop, questions, failures });
      reportReference(hop, questions, pathOf);
    }
  }
  for (const [kind, { count, example }] of [...failures].sort(([, a], [, b]) => b.count - a.count).slice(0, 10))
    report('MetaQA failures', { kind, count, example });
}

async function benchHop(service, api, graph, { hop, questions, failures }) {
  const counts = { hit: 0, exact: 0, refused: 0, ambiguous: 0, failed: 0, false_warned: 0, false_silent: 0 };
  const times = [];
  for (const { question, gold, kind } of questions) {
    const { ms, outcome, answer } = await ask(service, api, graph, question);
    times.push(ms);
    const verdict = outcome === 'answered' ? judge(answer, gold) : outcome;
    counts[verdict === 'exact' ? 'hit' : verdict]++;
    if (verdict === 'exact') counts.exact++;
    if (verdict === 'exact' || verdict === 'hit') continue;
    const of = failures.get(`${kind} ${verdict}`) ?? { count: 0, example: question };
    failures.set(`${kind} ${verdict}`, { ...of, count: of.count + 1 });
  }
  report(`MetaQA ${hop} hop`, { ...percentOf(counts, questions.length), ...timesOf(times) });
}

/** Reports the verdicts on answers that follow the right path from the right topic: nobody can reach more with this file of triples. */
function reportReference(hop, questions, pathOf) {
  const counts = { hit: 0, exact: 0, nothing: 0, false: 0 };
  for (const question of questions) {
    const names = pathOf(question);
    const verdict = names.length === 0 ? 'nothing' : judge({ rows: names.map(name => [name]), warnings: [] }, question.gold);
    counts[verdict === 'exact' ? 'hit' : verdict.replace('_silent', '')]++;
    if (verdict === 'exact') counts.exact++;
  }
  report(`MetaQA ${hop} hop, the right path followed`, percentOf(counts, questions.length));
}

function percentOf(counts, questions) {
  const percent = Object.entries(counts).map(([name, count]) => [name, round((100 * count) / questions, 1)]);
  return { unit: '%', questions, ...Object.fromEntries(percent) };
}

/**
 * @returns a function from a question to names in order: the ends of all paths from its topic along the steps of its kind, such as
 *   `writer_to_movie_to_year`
 */
function pathsThrough(triples) {
  const ends = new Map();
  const join = (from, to) => ends.set(from, (ends.get(from) ?? new Set()).add(to));
  for (const [movie, relation, object] of triples) {
    join(`${movie} ${relation} to`, object);
    join(`${object} ${relation} from`, movie);
  }
  return ({ kind, topic }) => {
    const steps = kind.split('_to_');
    let names = new Set([topic]);
    for (const [i, step] of steps.slice(1).entries()) {
      const way = step === 'movie' ? `${relationOf[steps[i]]} from` : `${relationOf[step]} to`;
      names = new Set([...names].flatMap(name => [...(ends.get(`${name} ${way}`) ?? [])]));
      names.delete(topic);
    }
    return [...names].sort((a, b) => (a < b ? -1 : 1));
  };
}

/** The relation for each word in the kind of a question, such as `writer` in `writer_to_movie_to_year`. */
const relationOf = {
  director: 'directed_by',
  writer: 'written_by',
  actor: 'starred_actors',
  year: 'release_year',
  language: 'in_language',
  genre: 'has_genre',
  tags: 'has_tags',
  tag: 'has_tags',
  imdbrating: 'has_imdb_rating',
  imdbvotes: 'has_imdb_votes',
};

/**
 * `hit`: the first row has a right name. `exact`: the rows also have all right names and no others. `false`: the first row is wrong or
 * missing.
 */
function judge({ rows, warnings }, gold) {
  const found = rows.map(row => namesOf(row[0]));
  const isGold = names => names.some(name => gold.has(name));
  if (found.length === 0 || !isGold(found[0])) return warnings.length > 0 ? 'false_warned' : 'false_silent';
  const distinct = new Set(found.map(([name]) => name));
  return found.every(isGold) && distinct.size === gold.size ? 'exact' : 'hit';
}

/** The questions of one hop count: all of them, or a sample that depends only on the seed. */
async function questionsOf(folder, hop, sample, seed) {
  const lines = (await textOf(path.join(folder, `${hop}-hop`, 'dev.txt'))).split('\n');
  const kinds = (await textOf(path.join(folder, `${hop}-hop`, 'qa_dev_qtype.txt'))).split('\n');
  const all = lines
    .map(line => line.trim().split('\t'))
    .map(([question, names], i) => ({
      question: question.replaceAll(/[[\]]/g, ''),
      topic: /\[(.*?)\]/.exec(question)?.[1],
      gold: new Set(names?.split('|')),
      kind: kinds[i]?.trim(),
    }))
    .filter(({ kind }) => kind);
  const random = randomOf(seed);
  const chosen = all.map(each => [random(), each]).sort(([a], [b]) => a - b);
  return chosen.slice(0, sample || chosen.length).map(([, each]) => each);
}

async function textOf(file) {
  return existsSync(file) ? readFile(file, 'utf8') : gunzipSync(await readFile(`${file}.gz`)).toString();
}

function triplesOf(text) {
  return text
    .split('\n')
    .map(line => line.trim().split('|'))
    .filter(([, relation]) => relations[relation]);
}

async function loadGraph(api, triples) {
  const names = Object.fromEntries(Object.keys(kinds).map(kind => [kind, new Set()]));
  const edges = Object.fromEntries(Object.keys(relations).map(relation => [relation, []]));
  for (const [movie, relation, object] of triples) {
    names.Movie.add(movie);
    names[relations[relation][0]].add(object);
    edges[relation].push([movie, object]);
  }
  for (const kind in names)
    await upload(
      api,
      tableOf(kind),
      ['name'],
      [...names[kind]].map(name => [name]),
    );
  for (const relation in edges) await upload(api, tableOf(relation), ['movie', 'object'], edges[relation]);
  const graph = await api.send('POST', '/api/graphs', { name: 'MetaQA' });
  await runJob(api, graph.id, mapping);
  return graph.id;
}

async function upload(api, table, columns, rows) {
  const quoted = rows.map(row => row.map(text => `"${text.replaceAll('"', '""')}"`).join(','));
  const types = columns.map(column => `${column}:text`).join(',');
  await api.send('PUT', `/api/warehouse/connections/1/tables/${table}?types=${types}`, [columns.join(','), ...quoted].join('\n'));
}

function tableOf(name) {
  return `metaqa_${name.toLowerCase()}`;
}

const mapping = [
  'version: 1',
  'nodes:',
  ...Object.entries(kinds).map(
    ([kind, aliases]) =>
      `  - {id: ${kind}, label: ${kind}, aliases: [${aliases}], table: ${tableOf(kind)}, key: [name], display: name, columns: [{column: name, property: name, type: string}]}`,
  ),
  'edges:',
  ...Object.entries(relations).map(
    ([relation, [kind, aliases]]) =>
      `  - {type: ${relation}, aliases: [${aliases}], table: ${tableOf(relation)}, from: {node: Movie, match: {movie: name}}, to: {node: ${kind}, match: {object: name}}}`,
  ),
].join('\n');
