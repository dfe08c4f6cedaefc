import { getMetadataStorage } from 'class-validator';
import { type Bilingual } from '../../text/bilingual.js';
import { nearestName } from '../../text/nearest-name.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { nestedDto } from './nested.decorator.js';

type Dto = new () => object;
type Loc = (string | number)[];

/** The first fields of a request that their DTO does not know, each with the known ones, and the number of all unknown fields. */
export interface UnknownFields {
  named: { loc: Loc; known: ReadonlySet<string> }[];
  count: number;
}

/** The most fields that one answer names. A body of a megabyte may hold a hundred thousand. */
const mostNamed = 20;
const mostLetters = 40;

const fields = new Map<Dto, ReadonlySet<string>>();

/** The fields that the rules of a DTO mention. */
function fieldsOf(dto: Dto): ReadonlySet<string> {
  let names = fields.get(dto);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    fields.set(dto, (names = new Set(rules.map(({ propertyName }) => propertyName))));
  }
  return names;
}

/**
 * Copies a part of a request with the fields that its DTO knows, at every depth. Of the others it keeps only the place, so that
 * their content costs no time. Free-form maps and values of a wrong type stay as they are.
 * @param dto null if no field at all is known
 * @param loc of the value itself, such as `['body']`
 * @param unknown is added to
 */
export function takeKnownFields(dto: Dto | null, value: object, loc: Loc, unknown: UnknownFields): Record<string, unknown> {
  const names = dto ? fieldsOf(dto) : new Set<string>();
  const known: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (dto && names.has(name)) known.push([name, takeNested(nestedDto(dto, name), inner, [...loc, name], unknown)]);
    else if (++unknown.count <= mostNamed) unknown.named.push({ loc: [...loc, name], known: names });
  }
  return Object.fromEntries(known);
}

function takeNested(dto: Dto | undefined, value: unknown, loc: Loc, unknown: UnknownFields): unknown {
  if (!dto || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown, index) => takeNested(dto, item, [...loc, index], unknown));
  return takeKnownFields(dto, value, loc, unknown);
}

/** The problems of a 422: each with the name that was probably meant, else with the known names. */
export function toUnknownProblems({ named, count }: UnknownFields): FieldProblem[] {
  const problems = named.map(field => ({ loc: shortened(field.loc), text: sentenceOn(field), type: 'unknown_field' }));
  const more = count - named.length;
  if (more === 0) return problems;
  const text = { zh: `另有 ${more} 个未知字段`, en: `${more} more unknown fields` };
  return [...problems, { loc: named[0]!.loc.slice(0, 1), text, type: 'unknown_field' }];
}

function sentenceOn({ loc, known }: UnknownFields['named'][number]): Bilingual {
  const name = String(shortened(loc).at(-1));
  if (known.size === 0) return { zh: `未知字段“${name}”，此处不接受任何字段`, en: `unknown field '${name}': nothing is taken here` };
  const meant = nearestName(name, known);
  if (meant !== null) return { zh: `未知字段“${name}”，是否为“${meant}”？`, en: `unknown field '${name}'; did you mean '${meant}'?` };
  const list = [...known];
  return { zh: `未知字段“${name}”，可用的有：${list.join('、')}`, en: `unknown field '${name}'; known here: ${list.join(', ')}` };
}

/** Shortens names for an answer. The last step is the caller's own text. */
function shortened(loc: Loc): Loc {
  return loc.map(step => (typeof step === 'number' ? step : [...step.slice(0, 2 * mostLetters)].slice(0, mostLetters).join('').toWellFormed()));
} // prettier-ignore

/**
 * The value of `X-Ignored-Fields`: paths below body or query, such as `time.range, filters.0.x`. Header values are Latin-1 and
 * clients accept about 16 kB of headers. So names are percent-encoded and shortened, and fields beyond the twentieth are only
 * counted, as `+480`.
 */
export function toIgnoredFieldsHeader({ named, count }: UnknownFields): string {
  const paths = named.map(({ loc }) => shortened(loc).slice(1).map(encodeURIComponent).join('.'));
  const more = count - named.length;
  return [...paths, ...(more > 0 ? [`+${more}`] : [])].join(', ');
}
