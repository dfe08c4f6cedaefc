import { type FieldProblem } from '../common/errors/api-error.js';
import { Pace } from '../common/turns/pace.js';
import { compactText, normalizeText } from '../graph-index/tokenize-text.js';
import { findIntents } from '../questions/linking/find-intents.js';
import { questionWordsIn } from '../questions/linking/question-words.js';
import { isStopWord } from '../questions/linking/stop-words.js';
import { type Synonym, type SynonymKind } from '../questions/vocabulary.js';
import { nearestName } from '../text/nearest-name.js';

/** A synonym, and where in the request it was written. */
export type PlacedSynonym = Synonym & { at: FieldProblem['loc'] };

/** A name, with its aliases, that the graph or one of its metrics has. */
export interface KnownName {
  kind: SynonymKind;
  name: string;
  aliases: string[];
}

const mostReported = 50;
/**
 * Maximum characters of a synonym in its normal form: one character may become eighteen, and each synonym is compared with all words of a
 * question.
 */
const longestNormal = 128;

/**
 * Finds the problems of new synonyms: names that neither graph nor metrics have, synonyms that are words of questions, and synonyms that
 * already name something else. Synonyms that the graph already has are not checked, because they stay as they are.
 * @param known the synonyms that the graph already has
 * @param allowClashes whether a synonym may already name something else
 */
export async function checkSynonyms(
  synonyms: readonly PlacedSynonym[],
  names: readonly KnownName[],
  known: readonly Synonym[],
  allowClashes: boolean,
  pace = new Pace(),
): Promise<FieldProblem[]> {
  /** The names and synonyms that use a text, by the normalised text and then by `kind name`. */
  const named = new Map<string, Map<string, KnownName | Synonym>>();
  const note = (text: string, of: KnownName | Synonym): void => {
    const key = keyOf(text);
    if (!named.has(key)) named.set(key, new Map());
    named.get(key)?.set(`${of.kind} ${of.name}`, of);
  };
  const namesOfKind = new Map<SynonymKind, Set<string>>();
  // A graph may have tens of thousands of names, so this loop pauses.
  for (const each of names) {
    for (const text of [each.name, ...each.aliases]) {
      if (pace.isDue) await pace.turn();
      note(text, each);
    }
    namesOfKind.set(each.kind, (namesOfKind.get(each.kind) ?? new Set<string>()).add(each.name));
  }
  for (const each of known) note(each.synonym, each);

  const kept = new Set(known.map(identityOf));
  const problems: FieldProblem[] = [];
  for (const each of synonyms) {
    if (problems.length >= mostReported) break;
    if (pace.isOverdue) await pace.turn();
    if (kept.has(identityOf(each))) continue;
    const { kind, name, synonym, at } = each;
    const report = (type: string, zh: string, en: string): void => void problems.push({ loc: at, text: { zh, en }, type });
    const ofKind = namesOfKind.get(kind) ?? new Set<string>();
    if (kind !== 'name' && !ofKind.has(name)) {
      const near = nearestName(name, ofKind);
      report(
        'unknown_name',
        `图中没有名为“${name}”的 ${kind}${near === null ? '' : `，最接近的是“${near}”`}`,
        `the graph has no ${kind} '${name}'${near === null ? '' : `; the nearest is '${near}'`}`,
      );
      continue;
    }
    const text = normalizeText(synonym);
    if (text.length > longestNormal) {
      report(
        'too_long',
        `同义词“${synonym}”规范化后有 ${text.length} 个字符，至多 ${longestNormal} 个；请改用更短的写法`,
        `the synonym '${synonym}' has ${text.length} characters in its normal form, and at most ${longestNormal} are allowed; write it shorter`,
      );
      continue;
    }
    if (keyOf(synonym) === '' || isStopWord(text) || findIntents(text).some(word => word.text === text)) {
      report('question_word', `“${synonym}”是提问用词，不能作为同义词`, `'${synonym}' is a word of questions and cannot be a synonym`);
      continue;
    }
    const swallowed = questionWordsIn(text, kind);
    if (swallowed !== null) {
      report(
        'question_word',
        `同义词“${synonym}”含有提问用词“${swallowed}”，问题中的这个词会被忽略；请换一个不含它的词`,
        `the synonym '${synonym}' has the word of questions '${swallowed}' in it, which questions would lose; take one without it`,
      );
      continue;
    }
    const others = [...(named.get(keyOf(synonym))?.values() ?? [])].filter(
      each => each.name !== name && !goTogether(kind, each.kind, name, each.name),
    );
    const [other] = others;
    if (other && !allowClashes)
      report(
        'lexicon_clash',
        `“${synonym}”已是 ${other.kind}“${other.name}”的名称；仍要添加请用 allow_clashes`,
        `'${synonym}' already names the ${other.kind} '${other.name}'; add it all the same with allow_clashes`,
      );
    note(synonym, { kind, name, synonym });
  }
  return problems;
}

/**
 * Whether two names may have the same synonym. One must be a dimension and the other something else than a metric, with the same name: the
 * label or the property that the dimension stands for.
 */
function goTogether(kind: SynonymKind, other: SynonymKind, name: string, otherName: string): boolean {
  const pair = new Set([kind, other]);
  return pair.has('dimension') && pair.size === 2 && !pair.has('metric') && keyOf(name) === keyOf(otherName);
}

function identityOf({ kind, name, synonym }: Synonym): string {
  return JSON.stringify([kind, name, synonym]);
}

function keyOf(text: string): string {
  return compactText(normalizeText(text.replaceAll('_', ' ')));
}
