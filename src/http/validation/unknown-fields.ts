import { type Bilingual } from '../../text/bilingual.js';
import { nearestName } from '../../text/nearest-name.js';
import { type FieldProblem } from '../../common/errors/api-error.js';

type Loc = (string | number)[];

interface UnknownField {
  loc: Loc;
  known: ReadonlySet<string>;
}

/** The most unknown fields that one answer names. A body of a megabyte may hold a hundred thousand unknown fields. */
const mostNamed = 20;
const mostLetters = 40;

/**
 * Collects the fields of a request that its DTOs do not declare. The first 20 are kept, each with the names that are known in its place.
 * The rest is only counted.
 */
export class UnknownFields {
  private readonly named: UnknownField[] = [];
  private count = 0;

  /** @param known the names of the fields that are known in this place */
  add(loc: Loc, known: ReadonlySet<string>): void {
    if (++this.count <= mostNamed) this.named.push({ loc, known });
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /**
   * The problems for a 422, one for each unknown field. Each problem suggests the name that was probably meant, or else lists the known
   * names.
   */
  toProblems(): FieldProblem[] {
    const problems = this.named.map(field => ({ loc: shortened(field.loc), text: sentenceOn(field), type: 'unknown_field' }));
    const more = this.count - this.named.length;
    if (more === 0) return problems;
    const text = { zh: `另有 ${more} 个未知字段`, en: `${more} more unknown fields` };
    return [...problems, { loc: this.named[0]!.loc.slice(0, 1), text, type: 'unknown_field' }];
  }

  /**
   * The value of `X-Ignored-Fields`: paths below body or query, such as `time.range, filters.0.x`. Header values are Latin-1 and
   * clients accept about 16 kB of headers. So names are percent-encoded and shortened, and fields beyond the twentieth are only
   * counted, as `+480`.
   */
  toHeader(): string {
    const paths = this.named.map(({ loc }) => shortened(loc).slice(1).map(encodeURIComponent).join('.'));
    const more = this.count - this.named.length;
    return [...paths, ...(more > 0 ? [`+${more}`] : [])].join(', ');
  }
}

function sentenceOn({ loc, known }: UnknownField): Bilingual {
  const name = String(shortened(loc).at(-1));
  if (known.size === 0) return { zh: `未知字段“${name}”，此处不接受任何字段`, en: `unknown field '${name}': nothing is taken here` };
  const meant = nearestName(name, known);
  if (meant !== null) return { zh: `未知字段“${name}”，是否为“${meant}”？`, en: `unknown field '${name}'; did you mean '${meant}'?` };
  const list = [...known];
  return { zh: `未知字段“${name}”，可用的有：${list.join('、')}`, en: `unknown field '${name}'; known here: ${list.join(', ')}` };
}

/**
 * The place of a field in the request, with its names shortened for an answer. The last name was made up by the caller and may have any
 * length.
 */
function shortened(loc: Loc): Loc {
  return loc.map(step => (typeof step === 'number' ? step : [...step.slice(0, 2 * mostLetters)].slice(0, mostLetters).join('').toWellFormed()));
} // prettier-ignore
