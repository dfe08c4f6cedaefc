import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type Language } from '../../text/language.js';
import { type EntityNode, type Mention } from '../linking/meaning.js';
import { type EntityTerm } from '../linking/question-terms.js';
import { type Anchor, isEntity } from './anchors.js';
import { AmbiguousQuestionError, type QuestionChoice, UnplannableError } from './question-plan.js';
import { type PathReading } from './read-path.js';
import { describePath } from './schema-paths.js';

const mostChoices = 20;

/** The choices that a request made among the meanings of ambiguous names and paths. */
export class NameChoices {
  private readonly chosen: ReadonlySet<string>;
  private readonly used = new Set<string>();

  /** @param tokens the chosen tokens, which an earlier answer offered */
  constructor(
    tokens: readonly string[],
    private readonly entities: ReadonlyMap<number, AnswerNode>,
    private readonly language: Language,
  ) {
    this.chosen = new Set(tokens);
  }

  nodeOf({ id }: EntityNode): AnswerNode | undefined {
    return this.entities.get(id);
  }

  /** Keeps only the chosen nodes of a term; all of them if none was chosen. */
  narrowNodes(term: EntityTerm): EntityNode[] {
    const chosen = term.nodes.filter(node => this.isChosen(this.tokenOf(node.id)));
    if (chosen.length > 0) term.nodes = chosen;
    return term.nodes;
  }

  /** Keeps only the chosen nodes of each term, or all nodes of a term without a chosen node. Returns the labels of the nodes left. */
  narrow(anchor: Anchor): string[] {
    for (const term of anchor.terms) if (isEntity(term)) this.narrowNodes(term);
    const chosenLabels = anchor.terms.filter(isEntity).flatMap(term => term.nodes.map(node => node.label));
    return isEntity(anchor.terms[0] ?? { mention: anchor.mention, values: [], negated: false })
      ? anchor.labels.filter(label => chosenLabels.includes(label))
      : anchor.labels;
  }

  keepChosen(readings: PathReading[], anchor: Anchor): PathReading[] {
    const chosen = readings.filter(reading => this.isChosen(pathToken(reading, anchor)));
    return chosen.length > 0 ? chosen : readings;
  }

  /**
   * Makes sure that the best reading means one thing.
   * @throws AmbiguousQuestionError when several paths or namesakes fit equally well
   */
  requireOne(close: PathReading[], anchor: Anchor): void {
    const [best] = close;
    if (!best) return;
    const { text } = anchor.mention;
    if (close.length > 1)
      throw new AmbiguousQuestionError(
        { zh: `“${text}”的问法有几种理解`, en: `"${text}" can be read in several ways here` },
        close
          .slice(0, mostChoices)
          .map(reading => ({ token: pathToken(reading, anchor), text: describePath(reading.hops) || reading.start })),
      );
    for (const term of anchor.terms) if (isEntity(term)) this.requireOneNode(term, best.start);
  }

  /** Makes sure that a name means one node of a label. @throws AmbiguousQuestionError when several nodes of the label fit equally well */
  requireOneNode({ mention, nodes: all, isSet }: EntityTerm, label: string): void {
    if (isSet) return;
    const nodes = all.filter(node => node.label === label);
    if (nodes.length < 2) return;
    throw new AmbiguousQuestionError(
      {
        zh: `有 ${nodes.length} 个“${label}”可以叫“${mention.text}”`,
        en: `${nodes.length} nodes of "${label}" may be called "${mention.text}"`,
      },
      nodes.slice(0, mostChoices).map(node => this.choiceOf(node.id)),
    );
  }

  /**
   * The dimension that a mention means, out of several dimensions on one table, such as the start and the end of a trip.
   * @throws AmbiguousQuestionError unless there is only one, or one was chosen
   */
  requireOneRole({ text }: Mention, roles: string[]): string {
    return this.requireOneName('role', text, roles, { zh: `“${text}”可以指几个维度`, en: `"${text}" may stand for several dimensions` });
  }

  /** The date that a time limits, out of several dates. @throws AmbiguousQuestionError unless there is only one, or one was chosen */
  requireOneDate({ text }: Mention, dates: string[]): string {
    return this.requireOneName('date', text, dates, { zh: `“${text}”可以指几个日期`, en: `"${text}" may be of several dates` });
  }

  private requireOneName(kind: 'role' | 'date', text: string, names: string[], reason: Bilingual): string {
    const token = (name: string): string => encode([kind, text, name]);
    const [name, ...others] = names.length > 1 ? [...names.filter(each => this.isChosen(token(each))), ...names] : names;
    if (name !== undefined && (others.length === 0 || this.isChosen(token(name)))) return name;
    throw new AmbiguousQuestionError(
      reason,
      names.slice(0, mostChoices).map(each => ({ token: token(each), text: each })),
    );
  }

  /** Makes sure that a name means exactly one node, whatever its label. @throws AmbiguousQuestionError when several nodes have the name */
  requireOneAtAll(term: EntityTerm): EntityNode {
    const [node, ...others] = this.narrowNodes(term);
    if (node && others.length === 0) return node;
    const { text } = term.mention;
    throw new AmbiguousQuestionError(
      { zh: `有 ${term.nodes.length} 个节点叫“${text}”`, en: `${term.nodes.length} nodes are called "${text}"` },
      term.nodes.slice(0, mostChoices).map(({ id }) => this.choiceOf(id)),
    );
  }

  /**
   * Makes sure that every choice took effect. A chosen node may have been deleted since, and the remaining nodes were not chosen.
   * @throws UnplannableError
   */
  requireUsed(): void {
    const stale = [...this.chosen].find(token => !this.used.has(token));
    if (stale === undefined) return;
    const name = nameIn(stale);
    throw new UnplannableError(
      `所选的${name === null ? '含义' : `“${name}”`}不是这个问题的选项，或已不在图中；请不带 choices 重新提问`,
      `the choice${name === null ? '' : `, "${name}",`} is not of this question, or no longer in the graph; ask again without choices`,
    );
  }

  private isChosen(token: string): boolean {
    if (!this.chosen.has(token)) return false;
    this.used.add(token);
    return true;
  }

  private choiceOf(id: number): QuestionChoice {
    const node = this.entities.get(id);
    const [open, close] = this.language === 'zh' ? ['（', '）'] : [' (', ')'];
    return { token: this.tokenOf(id), text: node ? `${node.display}${open}${node.label} ${node.key}${close}` : String(id) };
  }

  private tokenOf(id: number): string {
    const node = this.entities.get(id);
    return encode(['node', node?.label ?? '', node?.key ?? String(id)]);
  }
}

function pathToken({ start, hops }: PathReading, { mention }: Anchor): string {
  return encode(['path', mention.text, start, describePath(hops)]);
}

/** Name of the thing that a token stands for: label and key of a node, or a path. Null for an invalid token. */
function nameIn(token: string): string | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (!Array.isArray(parts) || !parts.every(part => typeof part === 'string')) return null;
    return parts[0] === 'node' ? parts.slice(1).join(' ') : (parts.at(-1) ?? null);
  } catch {
    return null;
  }
}

const encode = (parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
