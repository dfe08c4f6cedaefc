import { ApiError } from '../../common/errors/api-error.js';
import { type Pace } from '../../common/turns/pace.js';
import { type GraphSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry } from '../vocabulary.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { isAskingWord } from './find-intents.js';
import { type Meaning, type MeaningOf } from './meaning.js';
import { eventsOf, isDateOrYear } from './date-names.js';
import { isCommonWord, isStopWord } from './stop-words.js';
import { senseOf } from './synonyms.js';
import { namesWithoutUnits } from './units.js';
import { isAgentNoun, isPlainVerb, isVerbForm, rootOf, stemOf } from './word-roots.js';

/** Functions from a name to the forms by which names are compared: unchanged, by the stems of words, by the senses of words. */
const forms = [(name: string) => name, stemsOf, sensesOf];

/** Maximum meanings of names in all their forms. A meaning takes some 200 to 500 bytes. */
export const mostMeanings = 300_000;

/**
 * 422: the names of the graph and its metrics have too many meanings. A synonym of a property counts for each label that has the property.
 */
export class TooManyMeaningsError extends ApiError {
  constructor() {
    super(422, 'too_many_meanings', {
      zh: `该图的名称与同义词共有超过 ${mostMeanings} 种含义（属性的同义词按具有该属性的每个标签计），无法提问；请删除不用的同义词，或改用 search 与 cypher`,
      en: `The names and synonyms of this graph have more than ${mostMeanings} meanings (a synonym of a property counts for each label that has it), too many to be asked about; delete synonyms that are not used, or use search and cypher`,
    });
  }
}

/** Maps all names of a graph and its metrics, as normalised text, to their possible meanings. */
export class Lexicon {
  private readonly entries = forms.map(() => new Map<string, Meaning[]>());
  /** Relations by each word of their names: `starred` and `actors` for `starred_actors`. */
  private readonly parts = new Map<string, Meaning[]>();
  /** Relations by the first character of their Chinese names. */
  private readonly verbs = new Map<string, Meaning[]>();
  /** Properties that are dates, by the event that happens at the date: `hired` for `hire date`. One map for each form of names. */
  private readonly events = forms.map(() => new Map<string, MeaningOf<'property'>[]>());
  private readonly maps: readonly unknown[] = [...this.entries, ...this.events];
  /** Labels named after the doer of an action, each with the root of the verb: `Player` and `play`. */
  private readonly agents = new Set<string>();
  /** Pairs of name and meaning, to find duplicates fast: a name that a thousand labels share would take a million comparisons. */
  private readonly known = new Set<string>();
  private meanings = 0;

  private constructor() {}

  /** Builds the lexicon of a graph and its metrics, in turns of `pace`. @throws TooManyMeaningsError */
  static async build(schema: GraphSchema, metrics: MetricEntry[], pace: Pace): Promise<Lexicon> {
    const lexicon = new Lexicon();
    await lexicon.fill(schema, metrics, pace);
    lexicon.known.clear();
    return lexicon;
  }

  /**
   * Finds the meanings of a piece of normalised text: of an equal name, else of a name with other endings (`suppliers`), else of a name
   * with the same roots or a synonym. Relations with the text as a word of their name follow. If there are no such meanings, the dates of
   * an event with this name are returned.
   */
  find(normalized: string): Meaning[] {
    const name = compactText(normalized);
    const found = forms.map((form, i) => this.entries[i]?.get(form(name)) ?? []);
    // A verb names an action: `describe` is not read as the label Tag, though the two words have one sense.
    const isOfVerb = (meaning: Meaning): boolean =>
      meaning.as === 'label' && (isPlainVerb(name) || (!isAgentNoun(name) && this.agents.has(agentKey(meaning.label, name))));
    found[2] = (found[2] ?? []).filter(meaning => !isOfVerb(meaning));
    // `payments for` begins with a label, so it is not read as the relation `paid for`.
    const noun = name.replace(/ (?:for|of|by|in|at|to|with|from|on)$/, '');
    if (noun !== name && forms.some((form, i) => i < 2 && this.entries[i]?.get(form(noun))?.some(({ as }) => as === 'label')))
      found[2] = [];
    const nearest = found.find(meanings => meanings.length > 0) ?? [];
    // A label with another ending is added: `coaches` is both a form of the relation COACHES and the plural of the label Coach. A metric
    // named `trips` does not hide the label Trip.
    const leavesLabel = nearest.every(({ as }) => as === 'relation' || as === 'metric' || as === 'dimension');
    const whole = leavesLabel ? [...nearest, ...(found[1] ?? []).filter(({ as }) => as === 'label')] : nearest;
    // A word that names a label is not read as part of a relation: `players` of PLAYS_FOR, `ports` of HOME_PORT.
    const isLabel = whole.some(({ as }) => as === 'label');
    const parts = (isLabel ? [] : (this.parts.get(sensesOf(name)) ?? [])).filter(
      part => !whole.some(meaning => meaning.as === 'relation' && part.as === 'relation' && meaning.type === part.type),
    );
    if (whole.length + parts.length > 0) return [...whole, ...parts];
    // `借过` names the only relation that begins with 借, such as 借阅.
    const verb = /^(\p{Script=Han})[过了]$/u.exec(name)?.[1];
    const relations = verb === undefined ? [] : (this.verbs.get(verb) ?? []);
    if (relations.length === 1) return [...relations];
    // `open` in `open tickets` names a state, not the event of opening. A plural such as `hires` may name events.
    const isState = /^[a-z]+$/.test(name) && name !== 'born' && !isVerbForm(name) && !/[a-rt-z]s$/.test(name);
    return isState ? [] : this.findEvents(name);
  }

  /** The dates of an event. Dates of a different event with the same general sense are marked as cousins. */
  private findEvents(name: string): Meaning[] {
    const found = forms.map((form, i) => this.events[i]?.get(form(name)) ?? []);
    const nearest = found.find(meanings => meanings.length > 0) ?? [];
    const isNearest = (own: MeaningOf<'property'>): boolean =>
      nearest.some(({ ownerName, property }) => ownerName === own.ownerName && property === own.property);
    return [...nearest, ...(found[2] ?? []).filter(own => !isNearest(own)).map(own => ({ ...own, isCousin: true as const }))];
  }

  /** Number of meanings of all names in all their forms, plus 1: an entry of the cache of lexicons needs a positive size. */
  get size(): number {
    return this.meanings + 1;
  }

  /** Whether a part of the graph or of its metrics has exactly this name. Other forms of a name do not count. */
  has(normalized: string): boolean {
    return this.entries[0]?.has(compactText(normalized)) ?? false;
  }

  private async fill(schema: GraphSchema, metrics: MetricEntry[], pace: Pace): Promise<void> {
    for (const label of schema.labels) {
      if (pace.isOverdue) await pace.turn();
      for (const name of [label.name, ...label.aliases]) {
        this.add(name, { as: 'label', label: label.name });
        const normalized = normalizedName(name);
        if (isAgentNoun(normalized)) this.agents.add(agentKey(label.name, normalized));
      }
      await this.addProperties('node', label.name, label.properties, pace);
    }
    for (const edge of schema.edges) {
      if (pace.isOverdue) await pace.turn();
      for (const name of [edge.type, ...edge.aliases]) {
        this.add(name, { as: 'relation', type: edge.type });
        this.addParts(name, { as: 'relation', type: edge.type, part: true });
        const [verb = ''] = name;
        if (/^\p{Script=Han}{2,3}(?<![在于到给为自])$/u.test(name) && !isStopWord(verb))
          this.insert(this.verbs, verb, { as: 'relation', type: edge.type });
      }
      await this.addProperties('edge', edge.type, edge.properties, pace);
    }
    for (const metric of metrics) {
      if (pace.isOverdue) await pace.turn();
      for (const name of [metric.name, ...metric.aliases]) this.add(name, { as: 'metric', metricId: metric.id });
      for (const dimension of metric.dimensions) {
        for (const name of [dimension.name, ...dimension.aliases])
          this.add(name, { as: 'dimension', metricId: metric.id, dimension: dimension.name });
      }
    }
  }

  private async addProperties(owner: 'node' | 'edge', ownerName: string, properties: readonly PropertySchema[], pace: Pace): Promise<void> {
    const withoutUnits = namesWithoutUnits(properties);
    for (const property of properties) await this.addProperty(owner, ownerName, property, withoutUnits.get(property) ?? [], pace);
  }

  private async addProperty(
    owner: 'node' | 'edge',
    ownerName: string,
    property: PropertySchema,
    withoutUnit: readonly string[],
    pace: Pace,
  ): Promise<void> {
    const { name, type, column, aliases = [] } = property;
    const meaning: MeaningOf<'property'> = { as: 'property', owner, ownerName, property: name, type };
    for (const own of [name, ...aliases, ...withoutUnit]) {
      if (pace.isOverdue) await pace.turn();
      this.add(own, meaning);
    }
    // A column is often the English name of a Chinese property.
    if (column !== undefined && column !== name) this.add(column, meaning);
    if (!isDateOrYear(property)) return;
    for (const event of eventsOf(property)) {
      const happens = { ...meaning, isEvent: true as const };
      if (!isCommonWord(event)) for (const [i, form] of forms.entries()) this.insert(this.events[i]!, form(normalizedName(event)), happens);
    }
  }

  private addParts(name: string, meaning: Meaning): void {
    const words = normalizedName(name).split(' ');
    if (words.length === 1) return;
    // Words for a person are skipped, because they fit anybody: `people` is not read as a part of `insured person`.
    for (const word of words)
      if (/^[a-z]{3,}$/.test(word) && !isStopWord(word) && senseOf(word) !== anybody) this.insert(this.parts, sensesOf(word), meaning);
  }

  private add(name: string, meaning: Meaning): void {
    const normalized = normalizedName(name);
    if (normalized === '') return;
    for (const [i, form] of forms.entries()) {
      const entries = this.entries[i];
      if (entries) this.insert(entries, form(normalized), meaning);
    }
  }

  private insert<M extends Meaning>(entries: Map<string, M[]>, key: string, meaning: M): void {
    const id = JSON.stringify([this.maps.indexOf(entries), key, meaning]);
    if (this.known.has(id)) return;
    this.known.add(id);
    if (++this.meanings > mostMeanings) throw new TooManyMeaningsError();
    const meanings = entries.get(key);
    if (meanings) meanings.push(meaning);
    else entries.set(key, [meaning]);
  }
}

const anybody = senseOf('person');

const agentKey = (label: string, word: string): string => `${rootOf(word)}\0${label}`;

const normalizedName = (name: string): string => compactText(normalizeText(name.replaceAll('_', ' ')));

/** The stems of a name's words. A form that is a question word is skipped: `note` does not become `not`. */
export function stemsOf(name: string): string {
  return eachWord(name, word => [stemOf(word), word.replace(/s$/, '')]);
}

function sensesOf(name: string): string {
  return eachWord(name, word => [senseOf(word), stemOf(word)]);
}

function eachWord(name: string, formsOf: (word: string) => string[]): string {
  const isOfQuestions = (word: string): boolean => isAskingWord(word) || isStopWord(word);
  return name
    .split(' ')
    .map(word => {
      const others = formsOf(word);
      // Most Chinese words of a question equal all their forms.
      if (others.every(form => form === word) || isOfQuestions(word)) return word;
      return others.find(form => !isOfQuestions(form)) ?? word;
    })
    .join(' ');
}
