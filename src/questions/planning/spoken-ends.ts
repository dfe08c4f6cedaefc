import { fillPlaces, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { type SchemaWord } from './schema-word.js';

/** A noun of the question: a name, a value or a word for a label, with the labels that its nodes may have. */
export interface Noun {
  start: number;
  end: number;
  labels: ReadonlySet<string>;
  as: 'name' | 'value' | 'label';
}

/** Subject and object of a verb in the active voice. Null for an end that is a question word or that is not said. */
export interface SpokenEnds {
  subject: Noun | null;
  object: Noun | null;
}

const adverbs = '(?:(?:ever|also|already|actually|really|last|first|then) )*';
const determiners = `(?:(?:the|an?|any|some|all|these|those|this|that|which|what|how many|our|their|his|her|its) )*`;
/** Matches the text between a subject and its verb, between a verb and its object, and before a subject. Runs of spaces are one space. */
const english = {
  toVerb: new RegExp(`^ (?:(?:did|do|does|has|have|had) not )?(?:never )?${adverbs}$`),
  relative: new RegExp(`^ (?:that|which|who) (?:(?:has|have|had) )?${adverbs}$`),
  relativeObject: new RegExp(`^ (?:that|which|whom?) ${determiners}$`),
  toParticiple: new RegExp(`^ (?:(?:that|which|who) )?(?:(?:has|have|had) )?(?:(?:is|are|was|were|been|be|being) )?${adverbs}$`),
  toObject: new RegExp(`^ ${determiners}$`),
  toAgent: new RegExp(`^ by ${determiners}$`),
  auxiliary: new RegExp(`(?:^| )(?:did|does|do|has|have|had) ${determiners}$`),
  be: new RegExp(`(?:^| )(?:is|are|was|were) ${determiners}$`),
  isPassive: /(?:^| )(?:is|are|was|were|be|been|being) $/,
  pronoun: new RegExp(`(?:^| )who (?:(?:has|have|had) )?${adverbs}$`),
  /** A noun behind a preposition does not act: `researchers at River Museum`. */
  preposition: new RegExp(`(?:^| )(?:of|in|at|from|for|with|on|to|by|about|than|and|or) ${determiners}$`),
  askedObject: /(?:^| )(?:what|whom?) $/,
};

const asking = '(?:哪[些个位件篇幅家本部名种]*|什么|多少[个位件篇幅家本部名种]?|[这那][些个位件]?|[一几][个位件篇幅家本部名种]|所有的?)?';
const chinese = {
  toVerb: /^(?:也|都|还|又|曾经?|已经?|最近|一?共|总共|到底|究竟|最近一次|第一次|是不是|是否|有?没有?|从?未| )*$/,
  isAsked: /(?:曾经?|是不是|是否|没有?|从?未)$/,
  toObject: new RegExp(`^[了过着]? ?${asking} ?$`),
  aspect: /^[了过着]/,
  /** A noun behind such a word does not act: 在浦东买过房子. */
  adjunct: /[在从向给跟为对把由] ?$/,
  askedObject: /^[了过着]? ?(?:谁|什么|哪|多少|几)/,
  openObject: /^[了过着]? ?(?:谁|什么)/,
  passive: /被 ?(?:哪[个位件篇幅家本部名种]?)? ?$/,
  passiveOpen: /被(?:谁|什么人?)$/,
};

/** Finds the subject and the object of each verb of the question, if the form of the verb tells them. */
export class SpokenEndsReader {
  private readonly text: string;
  private readonly nouns: Noun[];
  /** Words for those at an end of a relation, as in `Alien directors`, who are the head of a phrase that begins with a name. */
  private readonly roles: Mention[];
  /** Words that name only relations. */
  private readonly verbs: Mention[];

  constructor(terms: QuestionTerms, words: readonly SchemaWord[]) {
    const quotes = [...terms.text.matchAll(/["'“”‘’「」《》]/g)].map(({ index }) => ({ start: index, end: index + 1 }));
    const limits = [...terms.times, ...terms.compares, ...(terms.top ? [terms.top] : [])].map(({ mention }) => mention);
    this.text = fillPlaces(terms.text, [...quotes, ...limits]);
    this.verbs = words.flatMap(({ mention, relations, labels }) => (relations.size > 0 && labels.size === 0 ? [mention] : []));
    this.roles = words.flatMap(({ mention, relations }) => (relations.size > 0 && isAgentNoun(mention.text) ? [mention] : []));
    this.nouns = [
      ...terms.entities.map(({ mention, nodes }) => nounOf(mention, 'name', nodes.map(({ label }) => label))),
      ...terms.values.map(({ mention, values }) => nounOf(mention, 'value', values.map(({ label }) => label))),
      ...words.flatMap(({ mention, labels }) => (labels.size > 0 ? nounOf(mention, 'label', [...labels]) : [])),
    ].sort((a, b) => a.start - b.start); // prettier-ignore
  }

  /** Null if the form of the verb does not tell its voice. */
  of({ text, start, end }: Mention): SpokenEnds | null {
    return /^\p{Script=Han}/u.test(text) ? this.ofChinese(start, end) : this.ofEnglish(text, start, end);
  }

  private ofEnglish(verb: string, start: number, end: number): SpokenEnds | null {
    const isBy = / by$/.test(verb);
    const agent = this.nounAfter(end, isBy ? english.toObject : english.toAgent);
    if (agent || isBy || / by\b/.test(this.between(end, end + 4))) return this.ofPassive(start, agent);
    if (english.isPassive.test(this.between(0, start))) return null;
    const nearest = this.nounBefore(start, english.toVerb);
    const subject = nearest ? this.headOf(nearest) : this.nounBefore(start, english.relative);
    const object = this.nounAfter(end, english.toObject);
    if (!subject) return object && english.pronoun.test(this.between(0, start)) ? { subject: null, object } : null;
    const before = this.between(0, subject.start);
    if (english.preposition.test(before) || english.be.test(before)) return null;
    if (object) return { subject, object };
    // `the researchers that X examined`
    const head = this.nounBefore(subject.start, english.relativeObject);
    if (head) return { subject, object: head };
    return english.auxiliary.test(before) ? this.ofFronted(subject) : null;
  }

  /** `Which researcher did X restore`, `What did X write`: the object stands before the auxiliary. */
  private ofFronted(subject: Noun): SpokenEnds | null {
    const auxiliary = /(?:did|does|do|has|have|had) (?:the |an? )?$/.exec(this.text.slice(0, subject.start));
    const at = auxiliary?.index ?? 0;
    const object = this.nounBefore(at, /^ $/);
    if (!object && !english.askedObject.test(this.between(0, at))) return null;
    return { subject, object: object ?? null };
  }

  private ofPassive(start: number, agent: Noun | undefined): SpokenEnds | null {
    const done = this.nounBefore(start, english.toParticiple);
    const isDone = done !== undefined && !english.preposition.test(this.between(0, done.start));
    // `payments paid by Alipay`: a value of the payments does nothing to them.
    const isOwnValue = agent?.as === 'value' && isDone && [...agent.labels].some(label => done.labels.has(label));
    return agent || isDone ? { subject: isOwnValue ? null : (agent ?? null), object: isDone ? done : null } : null;
  }

  private ofChinese(start: number, end: number): SpokenEnds | null {
    const before = this.text.slice(0, start);
    const doer = this.nouns.findLast(noun => noun.end <= start && /^ ?$/.test(this.text.slice(noun.end, start)));
    const first = doer && this.firstOf(doer);
    if (first && chinese.passive.test(this.text.slice(0, first.start)))
      return { subject: doer, object: this.doneBefore(this.text.lastIndexOf('被', first.start)) };
    if (chinese.passiveOpen.test(before)) return { subject: null, object: this.doneBefore(before.lastIndexOf('被')) };
    return this.ofChineseActive(start, end);
  }

  private ofChineseActive(start: number, end: number): SpokenEnds | null {
    const [before, after] = [this.text.slice(0, start), this.text.slice(end)];
    const object = chinese.openObject.test(after) ? undefined : this.nounAfter(end, chinese.toObject);
    const subject = this.nounBefore(start, chinese.toVerb);
    if (subject && chinese.adjunct.test(this.text.slice(0, subject.start))) return null;
    // In 读过曹雪芹写的书 the name behind the verb is the subject of another.
    if (object && this.verbs.some(verb => verb.start >= object.end && /^ ?$/.test(this.between(object.end, verb.start)))) return null;
    const rest = object && this.text.slice(object.end);
    const isWhole = rest !== undefined && /^ ?[吗么嘛]?[?？]? ?$/.test(rest);
    const isSure =
      chinese.aspect.test(after) ||
      chinese.askedObject.test(after) ||
      chinese.isAsked.test(before) ||
      /于$/.test(this.text.slice(start, end)) ||
      (isWhole && /[吗么嘛]/.test(rest));
    if (!isSure || (!object && !chinese.openObject.test(after))) return null;
    if (rest === undefined || !/^ ?的/.test(rest)) return { subject: subject ?? null, object: object ?? null };
    // 检查过X的研究员 names the subject last; Y检查过X的论文 does not tell whether X is the object.
    const head = subject ? undefined : this.nounAfter(object?.end ?? end, /^ ?的 ?$/);
    return head && object && !/谁$/.test(before) ? { subject: head, object } : null;
  }

  private doneBefore(at: number): Noun | null {
    return this.nounBefore(at, chinese.toVerb) ?? null;
  }

  /** The last noun before a place: with its kind before it, as in `researcher Ann`, the name. */
  private nounBefore(at: number, between: RegExp): Noun | undefined {
    const nearest = this.nouns.findLast(({ end }) => end <= at);
    return nearest && between.test(this.between(nearest.end, at)) ? nearest : undefined;
  }

  /** The noun behind a place. Undefined if a noun phrase goes on behind it: `Ann's papers`, `Alien directors`. */
  private nounAfter(at: number, between: RegExp): Noun | undefined {
    const first = this.nouns.find(({ start }) => start >= at);
    if (!first || !between.test(this.between(at, first.start))) return undefined;
    let found = first;
    for (const noun of this.nouns) if (noun.start >= found.end && /^ ?$/.test(this.between(found.end, noun.start))) found = noun;
    // In `read books Austen wrote` the name is the subject of another verb.
    const isSubject = this.verbs.some(verb => verb.start >= found.end && english.toVerb.test(this.between(found.end, verb.start)));
    if (found !== first && isSubject) return first;
    const goesOn = /^ s\b/.test(this.text.slice(found.end, found.end + 3)) || this.roles.some(({ start }) => start === found.end + 1);
    return goesOn ? undefined : found;
  }

  /** The noun that a clause before a noun describes: `members` in `members who borrowed Dune`. */
  private headOf(noun: Noun): Noun {
    const verb = this.verbs.findLast(({ end }) => end <= noun.start && /^ (?:by )?(?:(?:the|an?) )?$/.test(this.between(end, noun.start)));
    const isParticiple = verb && /^[a-z]+ing\b/.test(verb.text);
    const head = verb && (this.nounBefore(verb.start, english.relative) ?? (isParticiple ? this.nounBefore(verb.start, /^ $/) : undefined));
    return head ? this.headOf(head) : noun;
  }

  /** The first of the nouns that stand right beside each other and end with a noun. */
  private firstOf(last: Noun): Noun {
    const before = this.nounBefore(last.start, /^ ?$/);
    return before ? this.firstOf(before) : last;
  }

  private between(from: number, to: number): string {
    return this.text.slice(from, to).replace(/\s+/g, ' ');
  }
}

function nounOf({ start, end }: Mention, as: Noun['as'], labels: string[]): Noun {
  return { start, end, as, labels: new Set(labels) };
}
