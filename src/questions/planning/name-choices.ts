import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type Anchor, isEntity } from './anchors.js';
import { AmbiguousQuestionError, type QuestionChoice } from './question-plan.js';
import { type PathReading } from './read-path.js';
import { describePath } from './schema-paths.js';

const mostChoices = 20;

/** What the choices of a request say about names and paths that could mean several things. */
export class NameChoices {
  private readonly chosen: ReadonlySet<string>;

  /** @param tokens of an earlier answer; others are passed over */
  constructor(
    tokens: readonly string[],
    private readonly entities: ReadonlyMap<number, AnswerNode>,
  ) {
    this.chosen = new Set(tokens);
  }

  /** Leaves the nodes that were chosen, if any were, and returns their labels. */
  narrow(anchor: Anchor): string[] {
    for (const term of anchor.terms) {
      if (!isEntity(term)) continue;
      const chosen = term.nodes.filter(node => this.chosen.has(this.tokenOf(node.id)));
      if (chosen.length > 0) term.nodes = chosen;
    }
    const chosenLabels = anchor.terms.filter(isEntity).flatMap(term => term.nodes.map(node => node.label));
    return isEntity(anchor.terms[0] ?? { mention: anchor.mention, values: [], negated: false })
      ? anchor.labels.filter(label => chosenLabels.includes(label))
      : anchor.labels;
  }

  keepChosen(readings: PathReading[], anchor: Anchor): PathReading[] {
    const chosen = readings.filter(reading => this.chosen.has(pathToken(reading, anchor)));
    return chosen.length > 0 ? chosen : readings;
  }

  /**
   * Makes sure that the best reading means one thing.
   * @throws AmbiguousQuestionError when several paths or namesakes fit as well
   */
  requireOne(close: PathReading[], anchor: Anchor, { language }: { language: Language }): void {
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
    for (const term of anchor.terms) {
      if (!isEntity(term)) continue;
      const nodes = term.nodes.filter(node => node.label === best.start);
      if (nodes.length < 2) continue;
      throw new AmbiguousQuestionError(
        {
          zh: `有 ${nodes.length} 个“${best.start}”可以叫“${term.mention.text}”`,
          en: `${nodes.length} nodes of "${best.start}" may be called "${term.mention.text}"`,
        },
        nodes.slice(0, mostChoices).map(node => this.choiceOf(node.id, language)),
      );
    }
  }

  private choiceOf(id: number, language: Language): QuestionChoice {
    const node = this.entities.get(id);
    const [open, close] = language === 'zh' ? ['（', '）'] : [' (', ')'];
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

const encode = (parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
