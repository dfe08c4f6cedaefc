import { isEach } from './find-groups.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type Mention } from '../linking/meaning.js';
import { outsideNames, outsideValues } from '../linking/question-terms.js';
import { alongPath, Exclusions } from './exclusions.js';
import { type PathPart, type ReadingContext } from './path-part.js';
import { type Anchor, areAlike, groupAnchors, isEntity, isOneOfTerms } from './anchors.js';
import { CypherWriter } from './cypher-writer.js';
import { type Asked } from './find-asked.js';
import { type NamePlace, relationSaid } from './end-prepositions.js';
import { notUnderstoodHere } from './negated-parts.js';
import { UnplannableError } from './question-plan.js';
import { refuseDirection, refuseOtherEnd, refuseTwoDirections } from './refuse-directions.js';
import { isNamed, meantReadings, type PathReading, readPaths, sharedWord } from './read-path.js';
import { endAskedFor } from './role-nouns.js';
import { outward, refuseGuessedReturn, requireRepeated } from './self-relations.js';
import { describePath, type Hop, leadsToOne, pathsFrom, reversed } from './schema-paths.js';
import { isOnlyRelation, isSaidToExist, kindsOf, nounsOf, objectOf, type SchemaWord } from './schema-word.js';
import { isSaidToBe } from './said-identity.js';
import { refuseSharedVerbs, refuseUnreached } from './shared-verbs.js';
import { shareOut } from './share-out.js';
import { undoes } from './score-path.js';
import { isDetour, isOfOther, refusePlaceOfOther, refuseQuality } from './value-places.js';

/** A question as one Cypher pattern around its target, with notes on how the question was read. */
export interface ReadPattern {
  writer: CypherWriter;
  paths: { path: string; score: number }[];
  notes: Bilingual[];
  /** Words for things that must exist without any further condition. */
  required: SchemaWord[];
  /** Whether a named thing besides the topic is joined by a relation that the question does not name. */
  isGuessed: boolean;
}

const shownPaths = 8;
const mostTopics = 4;
/** Score bonus for attaching a named thing to the target, which is likelier than attaching it to a node on the way. */
const toTarget = 0.3;
/** Minimum score of a reading that is answered: a reading with a lower score rests on too few words of the question. */
const leastScore = -4;

/**
 * Reads a question as a path from its topic to its target, and the rest as branches of that path.
 * @throws UnplannableError, AmbiguousQuestionError
 */
export async function readQuestion(context: ReadingContext, part: PathPart): Promise<ReadPattern> {
  const reader = new PatternReader(context, part);
  return reader.read();
}

class PatternReader {
  private readonly anchors: Anchor[];
  private readonly wordsOf: Map<Anchor, SchemaWord[]>;
  private readonly shared: SchemaWord | null;
  private readonly blank: string;
  private readonly blankValues: string;
  private readonly paths: { path: string; score: number }[] = [];
  private readonly notes: Bilingual[] = [];
  private readonly required: SchemaWord[] = [];
  private readonly attached = new Map<Anchor, PathReading>();
  /** Variables of the nodes that the question names by their own name instead of by one of their values. */
  private readonly named = new Set<string>();
  private readonly valueAt = new Map<string, Mention>();
  private readonly exclusions: Exclusions;
  private isGuessed = false;
  private unused: SchemaWord[] = [];

  constructor(
    private readonly context: ReadingContext,
    private readonly part: PathPart,
  ) {
    const inNegation = new Set(part.negatedParts.flatMap(({ terms }) => terms));
    const all = groupAnchors(context.terms);
    for (const { terms, mention } of all) {
      const denied = terms.filter(term => inNegation.has(term)).length;
      if ((denied > 0 && denied < terms.length) || (denied > 1 && context.terms.together !== null)) throw notUnderstoodHere(mention);
    }
    this.anchors = all.filter(anchor => !anchor.terms.some(term => inNegation.has(term)));
    for (const { excluded } of part.negatedParts) for (const anchor of this.anchors) if (anchor.terms.some(term => excluded.has(term))) anchor.negated = true; // prettier-ignore
    const others = this.anchors.filter(({ mention }) => mention.start !== part.endsAt?.start);
    this.blank = outsideNames(context.terms);
    this.blankValues = outsideValues(context.terms);
    this.wordsOf = shareOut(context.terms.text, others, part.words, part.asked.word, context.language);
    for (const [anchor, words] of this.wordsOf) words.push(...this.prepositionOf(anchor, words));
    this.shared = sharedWord(this.blank, part.words);
    const read = (anchor: Anchor, words: SchemaWord[], to: string) => this.readFrom(anchor, words, { word: null, type: null }, to);
    this.exclusions = new Exclusions(context, part, this.attached, read, this.notes);
    refuseSharedVerbs(context.terms, part.allWords, this.wordsOf, part.negatedParts);
  }

  /** The preposition before a named thing, if it alone tells which of several relations is meant: `loans from A to B`. */
  private prepositionOf(anchor: Anchor, words: readonly SchemaWord[]): SchemaWord[] {
    const { terms, schema } = this.context;
    const { allWords } = this.part;
    const { mention } = anchor;
    const place = this.placeOf(anchor);
    refuseTwoDirections(terms.text, anchor, place.kinds);
    if (words.some(({ relations }) => relations.size > 0)) return [];
    const nouns = nounsOf(this.blankValues, place.nouns, allWords);
    const type = relationSaid({ ...place, nouns }, schema.edges, this.labelsAsked(), anchor.labels);
    const isBetween = (word: SchemaWord): boolean =>
      word.mention.end <= mention.start && !place.kinds.includes(word.mention) && nouns.some(({ end }) => end <= word.mention.start);
    if (type === null && allWords.some(isBetween)) throw unclearPreposition(anchor);
    if (type == null) return [];
    const meanings = [{ as: 'relation' as const, type }];
    const at = { text: '', start: mention.start, end: mention.start, meanings };
    return [{ mention: at, labels: new Set(), relations: new Set([type]), properties: [] }];
  }

  /** The place of a named thing among the words for what is asked for, which may be a property. */
  private placeOf({ mention, labels }: Anchor): NamePlace {
    const { asked, allWords } = this.part;
    const property = asked.word?.labels.size === 0 ? [asked.word.mention] : [];
    const nouns = [...kindsOf([...this.labelsAsked()], allWords), ...property];
    return { name: mention, terms: this.context.terms, nouns, heads: nouns, kinds: kindsOf(labels, allWords) };
  }

  /** The labels that a preposition may join to a name: those that are asked for, or those whose property is. */
  private labelsAsked(): ReadonlySet<string> {
    const { asked, target, allWords } = this.part;
    const owners = (asked.word?.properties ?? []).flatMap(({ owner, ownerName }) => (owner === 'node' ? [ownerName] : []));
    const named = owners.filter(owner => allWords.some(({ labels }) => labels.has(owner)));
    const labels = asked.word?.labels.size ? asked.word.labels : named.length > 0 ? named : owners;
    return new Set([...labels, ...(target === null ? [] : [target])]);
  }

  async read(): Promise<ReadPattern> {
    const isEnd = ({ mention }: Anchor): boolean => mention.start === this.part.endsAt?.start;
    const topics = this.anchors.filter(anchor => !anchor.negated && !isEnd(anchor));
    const main = topics.length > 0 ? await this.bestTopic(topics) : null;
    const target = main ? (main.reading.hops.at(-1)?.to ?? main.reading.start) : this.targetWithoutTopic();
    const writer = new CypherWriter(target);
    if (main) {
      this.unused.push(...main.reading.unused);
      this.attach(writer, main.anchor, main.reading, 't');
    } else
      this.unused.push(
        ...this.part.words.filter(word => (word !== this.part.asked.word || isOnlyRelation(word)) && !this.isOfAnchor(word)),
      );
    const end = this.anchors.find(isEnd);
    if (end) {
      const itself = { start: target, hops: [], score: 0, unused: [], unnamed: 0 };
      this.context.choices.narrow(end);
      this.context.choices.requireOne([itself], end);
      this.attach(writer, end, itself, 't');
    }
    for (const anchor of this.anchors) {
      if (anchor === main?.anchor || anchor === end) continue;
      if (!this.attachLikeSibling(writer, anchor)) await this.attachBest(writer, anchor);
    }
    for (const negated of this.part.negatedParts) await this.exclusions.ofPart(writer, negated);
    this.requireRole(writer);
    await this.attachUnused(writer);
    requireRepeated(writer, this.part.words, this.context.schema);
    return { writer, paths: this.paths, notes: this.notes, required: this.required, isGuessed: this.isGuessed };
  }

  private isOfAnchor(word: SchemaWord): boolean {
    return this.anchors.some(anchor => this.wordsOf.get(anchor)?.includes(word));
  }

  /** The topic whose path explains the question best. */
  private async bestTopic(topics: Anchor[]): Promise<{ anchor: Anchor; reading: PathReading }> {
    const found: { anchor: Anchor; readings: PathReading[] }[] = [];
    for (const anchor of topics.slice(0, mostTopics)) {
      const asked = this.part.asked;
      const words = [...(this.wordsOf.get(anchor) ?? []), ...(asked.word ? [asked.word] : [])].sort(
        (a, b) => a.mention.start - b.mention.start,
      );
      const all = await this.readFrom(anchor, words, asked, this.part.target);
      // `captains of cancelled flights`: prefer the readings whose last hop is the relation of the role.
      const ofRole = all.filter(({ hops }) => asked.word?.isRole && asked.word.relations.has(hops.at(-1)?.type ?? ''));
      const readings = ofRole.length > 0 && all[0]?.hops.length !== 0 ? ofRole : all;
      if (readings.length > 0) found.push({ anchor, readings });
    }
    const [best] = found.sort((a, b) => (b.readings[0]?.score ?? 0) - (a.readings[0]?.score ?? 0));
    const reading = best?.readings[0];
    if (!best || !reading || reading.score < leastScore) throw this.noPath(topics);
    this.paths.push(...best.readings.slice(0, shownPaths).map(({ hops, start, score }) => ({ path: describePath(hops) || start, score: Math.round(score * 100) / 100 }))); // prettier-ignore
    this.context.choices.requireOne(meantReadings(best.readings, this.part.asked, this.context.schema), best.anchor);
    refuseUnreached(this.context.terms.text, best.anchor, reading, this.part.words, this.part.asked.word);
    refuseGuessedReturn(reading, this.part.words, this.shared, this.context.terms.text, this.context.schema);
    // `who co-starred with X` follows a relation there and back. `films co-written by X` does not name the other writers, so refuse it.
    const sharing = /\bco-[a-z]+(\s+by\b)?/.exec(this.context.terms.text);
    if (sharing && (sharing[1] !== undefined || !reading.hops.some((hop, i) => undoes(reading.hops[i - 1], hop))))
      throw new UnplannableError('不清楚“co-”说的是与谁一起', 'It is not clear who "co-" is together with');
    return { anchor: best.anchor, reading };
  }

  private noPath(topics: Anchor[]): UnplannableError {
    const name = topics[0]?.mention.text ?? '';
    const wanted = this.part.asked.word?.mention.text ?? this.part.target;
    if (wanted === null) return new UnplannableError(`不清楚问的是“${name}”的什么`, `It is not clear what of "${name}" is asked for`);
    return new UnplannableError(`“${wanted}”与“${name}”之间没有关系路径`, `No relation leads from "${wanted}" to "${name}"`);
  }

  private async readFrom(anchor: Anchor, words: SchemaWord[], asked: Asked, to: string | null): Promise<PathReading[]> {
    const { terms, language, schema, pace, choices } = this.context;
    const topic = { mention: anchor.mention, labels: choices.narrow(anchor), isNode: anchor.terms.every(isEntity) };
    const question = { text: terms.text, blank: this.blank, blankValues: this.blankValues, language, words, asked, shared: this.shared };
    return choices.keepChosen(await readPaths(question, topic, schema, pace, to), anchor);
  }

  /** The target of a question without a named thing: the label asked for, else the only label that is named or has the named property. */
  private targetWithoutTopic(): string {
    const { asked, target, words } = this.part;
    if (target !== null) return target;
    const word = asked.word ?? words.find(({ labels }) => labels.size > 0) ?? words[0];
    const named = word ? [...word.labels] : [];
    const owners = [...new Set((word?.properties ?? []).filter(({ owner }) => owner === 'node').map(({ ownerName }) => ownerName))];
    const byLabel = owners.filter(owner => words.some(({ labels }) => labels.has(owner)));
    const found = named.length > 0 ? named : byLabel.length > 0 ? byLabel : owners;
    const ofRelation = this.context.schema.edges.filter(({ type }) => word?.relations.has(type));
    if (found.length === 0 && ofRelation.length === 1 && ofRelation[0]) return endAskedFor(ofRelation[0], asked.type, this.context.schema);
    const [only] = found;
    if (only === undefined) throw new UnplannableError('没有找到所问的对象', 'Nothing in the graph is asked for');
    if (found.length > 1)
      throw new UnplannableError(
        `“${word?.mention.text ?? ''}”可以指：${found.join('、')}，请写明`,
        `"${word?.mention.text ?? ''}" may be of ${found.join(' or ')}: say which`,
      );
    return only;
  }

  /** Adds the path of a reading, from its topic to a node of the pattern. */
  private attach(writer: CypherWriter, anchor: Anchor, reading: PathReading, to: string): void {
    const { schema, entities, terms } = this.context;
    const { start, hops, unnamed } = reading;
    const { words } = this.part;
    const { text } = terms;
    if (to === 't') this.attached.set(anchor, reading);
    const way = reversed(hops);
    if ((unnamed > 0 || isDetour(hops, words) || isOfOther(anchor, hops, text, this.part)) && !anchor.negated)
      this.notes.push(alongPath(hops));
    if (anchor.negated) {
      this.exclusions.ofAnchor(writer, anchor, start, way, to);
      return;
    }
    const conditionOf = (variable: string, terms: Anchor['terms']): string =>
      isOneOfTerms(writer, variable, start, terms, schema, entities);
    if (to === 't') refusePlaceOfOther(anchor, hops, schema, words);
    if (hops.length > 0 || anchor.terms.every(isEntity)) refuseDirection(text, anchor, hops, words, schema);
    const others = this.anchors.filter(other => other !== anchor).map(other => this.placeOf(other));
    refuseOtherEnd(this.placeOf(anchor), others, this.labelsAsked(), hops, schema);
    refuseQuality(anchor, terms);
    if (this.meansAll(anchor, way)) {
      for (const term of anchor.terms) writer.where(conditionOf(writer.addPath(way, to), [term]));
      return;
    }
    const end = hops.length === 0 ? to : writer.addPath(way, to);
    this.requireOneValue(end, anchor);
    writer.where(conditionOf(end, anchor.terms));
    if (anchor.terms.some(isEntity)) this.named.add(end);
    // If the path returns to the label of the named thing, exclude this thing: a person who acted with X is not X. This holds only for a
    // path that ends with the relation with which it began, because the holder of a policy may also be its insured.
    if (hops.at(-1)?.to !== start) return;
    if (hops[0]?.type === hops.at(-1)?.type) writer.where(`${to} <> ${end}`);
    else if (to === 't' && anchor.terms.every(isEntity)) writer.named = conditionOf('t', anchor.terms);
  }

  /** Refuses two values of one property on a single node: `既有巴西球员又有日本球员`. */
  private requireOneValue(variable: string, { terms, mention }: Anchor): void {
    for (const { label, property } of terms.flatMap(term => ('values' in term ? term.values : []))) {
      const type = this.context.schema.labels.find(({ name }) => name === label)?.properties.find(({ name }) => name === property)?.type;
      const place = `${variable}\0${property}`;
      const other = this.valueAt.get(place);
      if (other && other !== mention && type?.endsWith('[]') !== true)
        throw new UnplannableError(
          `“${other.text}”和“${mention.text}”是同一属性的两个值，没有什么能同时是；请分开问`,
          `"${other.text}" and "${mention.text}" are two values of one property, and nothing has both; ask for each apart`,
        );
      this.valueAt.set(place, mention);
    }
  }

  /** Whether `A and B` asks for things that have both, like `both A and B`. If a thing can have only one, "and" joins alternatives. */
  private meansAll(anchor: Anchor, way: Hop[]): boolean {
    const { terms, schema } = this.context;
    if (anchor.terms.length < 2) return false;
    const isOne = leadsToOne(way, schema.toOne);
    const names = anchor.mention.text;
    if (way.length === 0 || isOne) {
      if (terms.together === null || anchor.join !== 'and' || !/both|each of|既|且|同时/.test(terms.together)) return false;
      throw new UnplannableError(`没有什么能同时是“${names}”`, `Nothing can be both of "${names}" at once`);
    }
    const each = terms.groups.find(({ text }) => isEach(text))?.text;
    if (each !== undefined)
      throw new UnplannableError(
        `不能为“${names}”“${each}”列出；请逐个问，或改用 cypher`,
        `What belongs to each of "${names}" cannot be listed side by side; ask about one after the other, or use cypher`,
      );
    if (terms.together !== null) return true;
    if (anchor.join !== 'and') return false;
    this.notes.push({
      zh: `按同时满足“${names}”理解；问其中任意一个请用“或”`,
      en: `Read as all of "${names}" at once; ask with "or" for any of them`,
    });
    return true;
  }

  /** Attaches a denied thing by the path of a similar thing before it: `ordered Chai but not Chang`. False if no such thing precedes it. */
  private attachLikeSibling(writer: CypherWriter, anchor: Anchor): boolean {
    if (!anchor.negated) return false;
    // `从上海出发但不到达北京`: the denied thing has a relation of its own, so the path of the thing before it does not fit.
    const own = (this.wordsOf.get(anchor) ?? []).filter(({ relations }) => relations.size > 0);
    const isLike = ([{ mention, terms }, { start, hops }]: [Anchor, PathReading]): boolean =>
      hops.length > 0 &&
      mention.end <= anchor.mention.start &&
      anchor.labels.includes(start) &&
      areAlike(terms[0], anchor.terms[0]) &&
      own.every(({ relations, labels }) => labels.size > 0 || hops.some(({ type }) => relations.has(type)));
    const [, reading] = [...this.attached].filter(isLike).at(-1) ?? [];
    if (!reading) return false;
    this.context.choices.narrow(anchor);
    this.context.choices.requireOne([reading], anchor);
    this.attach(writer, anchor, reading, 't');
    return true;
  }

  /** Attaches a named thing other than the topic to the node of the pattern where the thing fits best. */
  private async attachBest(writer: CypherWriter, anchor: Anchor): Promise<void> {
    const words = this.wordsOf.get(anchor) ?? [];
    const found: { reading: PathReading; to: string; score: number }[] = [];
    const places = writer.nodes.filter(({ label }) => label !== '');
    for (const { variable, label } of places.filter((place, i) => places.findIndex(other => other.label === place.label) === i)) {
      const readings = await this.readFrom(anchor, words, { word: null, type: null }, label);
      for (const reading of readings.slice(0, shownPaths).filter(each => this.mayBeAt(anchor, each, variable)))
        found.push({ reading, to: variable, score: reading.score + (variable === 't' ? toTarget : 0) });
    }
    found.sort((a, b) => b.score - a.score);
    const chosen = this.context.choices.keepChosen(found.map(({ reading }) => reading), anchor); // prettier-ignore
    const fitting = found.filter(({ reading }) => chosen.includes(reading));
    const [best] = fitting;
    if (!best || best.reading.score < leastScore) throw this.noPath([anchor]);
    // One node cannot be two named nodes. If nodes of several labels have the name, the question is asked back.
    const isSecond = best.reading.hops.length === 0 && this.named.has(best.to) && !anchor.negated && anchor.terms.some(isEntity);
    const others = isSecond ? fitting.filter(({ reading }) => reading.hops.length > 0) : fitting;
    const first = others[0]?.score ?? 0;
    const close = others.filter(({ score, to }) => first - score < 0.25 && to === others[0]?.to).map(({ reading }) => reading);
    if (!isSecond || anchor.labels.length > 1) this.context.choices.requireOne(close, anchor);
    if (isSecond) throw besideOther(anchor);
    this.isGuessed ||= best.reading.unnamed > 0;
    this.unused.push(...best.reading.unused);
    this.attach(writer, anchor, best.reading, best.to);
  }

  /** Whether a named thing may be placed at a node. A value by which the question asks for the target must be a value of the target. */
  private mayBeAt(anchor: Anchor, reading: PathReading, variable: string): boolean {
    if (anchor.mention === this.part.asked.word?.mention) return variable === 't' && reading.hops.length === 0;
    return variable !== 't' || !this.isAsked(anchor, reading);
  }

  /**
   * Whether placing a named thing here would make it the target: `Which customers sent coffee to Union Steel` does not ask for Union Steel.
   */
  private isAsked(anchor: Anchor, { hops }: PathReading): boolean {
    const { terms, negated, mention } = anchor;
    const { word, type } = this.part.asked;
    if (negated || word === null || word.labels.size === 0 || !terms.some(isEntity)) return false;
    if (isSaidToBe(this.blankValues, mention, word)) return hops.length > 0;
    return hops.length === 0 && !isNamed(this.context.terms.text, anchor, word.mention, type);
  }

  /**
   * Requires the relation of a role: in `beneficiaries in London` the customers live in London and must also be beneficiaries of something.
   */
  private requireRole(writer: CypherWriter): void {
    const { word } = this.part.asked;
    if (word?.isRole && word.labels.has(writer.target) && ![...word.relations].some(type => writer.follows(type)))
      this.unused.push({ ...word, labels: new Set() });
  }

  /** Requires a path to each label and relation that the pattern does not use yet: `有订单的客户`. */
  private async attachUnused(writer: CypherWriter): Promise<void> {
    const { schema, pace } = this.context;
    const known = new Map<string, Hop[][]>();
    const longerThanNone = (label: string): Hop[][] => {
      const paths = known.get(label) ?? [...pathsFrom(schema, label)].filter(hops => hops.length > 0);
      known.set(label, paths);
      return paths;
    };
    const words = new Map(this.unused.map(word => [[...word.labels, '', ...word.relations].join('\0'), word]));
    for (const word of words.values()) {
      if (pace.isOverdue) await pace.turn();
      const isThere = [...word.labels].some(label => writer.passes(label)) || [...word.relations].some(type => writer.follows(type));
      if (isThere || (word.labels.size === 0 && word.relations.size === 0)) continue;
      const object = objectOf(this.blank, word, this.part.words, this.part.asked.word);
      const ways = writer.nodes
        .filter(({ label }) => label !== '')
        .flatMap(({ variable, label }) =>
          longerThanNone(label)
            .filter(hops =>
              object
                ? object.labels.has(hops.at(-1)?.to ?? '') && hops.some(({ type }) => word.relations.has(type))
                : word.labels.has(hops.at(-1)?.to ?? '') || (hops.length === 1 && word.relations.has(hops[0]?.type ?? '')),
            )
            .map(hops => ({ variable, hops })),
        )
        .sort((a, b) => a.hops.length - b.hops.length);
      const [best, second] = isSaidToExist(this.context.terms.text, word)
        ? outward(ways, ({ hops }) => hops, [word], this.context.terms.text, schema)
        : ways;
      if (!best)
        throw new UnplannableError(
          `“${word.mention.text}”与所问的对象没有关系`,
          `"${word.mention.text}" does not lead to or from what is asked for`,
        );
      if (second?.hops.length === best.hops.length && second.variable === best.variable && best.hops.length > 0)
        throw new UnplannableError(
          `“${word.mention.text}”可以经由 ${describePath(best.hops)} 或 ${describePath(second.hops)}，请写明`,
          `"${word.mention.text}" may be reached by ${describePath(best.hops)} or ${describePath(second.hops)}: say which`,
        );
      writer.addPath(best.hops, best.variable);
      if (best.hops.length > 1) this.notes.push(alongPath(best.hops));
      // The asked word, such as `captains`, is not a limit.
      if (word.mention !== this.part.asked.word?.mention) this.required.push(word);
    }
  }
}

/** `transfers of books from A`: the transfers or the books may be from A. */
function unclearPreposition({ mention: { text } }: Anchor): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”前的介词属于哪个词；请写出关系的名称`,
    `It is not clear to which word the preposition before "${text}" belongs; name the relation`,
  );
}

function besideOther({ mention: { text } }: Anchor): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”与前面的名称一起怎样限定；请写出它的关系，或分开问`,
    `It is not clear how "${text}" limits the answer together with the name before it; name its relation, or ask apart`,
  );
}
