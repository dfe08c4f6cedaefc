import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { Pace } from '../../common/turns/pace.js';
import { describeConstraint } from './describe-constraint.js';
import { type Dto, nestedDto } from './nested.decorator.js';
import { emptyNullsOf } from './optional-nulls.js';
import { chineseOf } from './sentence.js';
import { UnknownFields } from './unknown-fields.js';

type Loc = (string | number)[];

/** The number of problems after which the rest of a request is not checked. */
const mostProblems = 100;

/** Facts about the fields of a DTO, derived from its decorators. */
interface Shape {
  names: ReadonlySet<string>;
  /** For each field that is a list with a limit, the most items of the list. */
  mostItems: ReadonlyMap<string, number>;
  emptyNulls: ReadonlySet<string>;
}

const nothing: Shape = { names: new Set(), mostItems: new Map(), emptyNulls: new Set() };

const shapes = new Map<Dto, Shape>();

function shapeOf(dto: Dto): Shape {
  let shape = shapes.get(dto);
  if (!shape) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const longest = rules
      .filter(({ name }) => name === 'arrayMaxSize')
      .map(rule => [rule.propertyName, (rule.constraints as [number])[0]] as const);
    const names = new Set(rules.map(({ propertyName }) => propertyName));
    shapes.set(dto, (shape = { names, mostItems: new Map(longest), emptyNulls: emptyNullsOf(dto) }));
  }
  return shape;
}

/**
 * Makes DTOs from the parts of one request, and collects all problems and unknown fields on the way. Objects are checked one after the
 * other with pauses between them, so that a body with many objects does not hold up the process. Free-form maps, whose contents a DTO
 * does not declare, are taken as they are. A list that is too long is cut to one element more than allowed, which is enough to report it.
 */
export class DtoReader {
  private readonly problems: FieldProblem[] = [];
  readonly unknown = new UnknownFields();
  private readonly pace = new Pace();
  private isCut = false;

  /**
   * Makes the DTO of one part of the request.
   * @param dto null if no field is known, so that all fields are unknown
   * @param loc the place of `value` in the request, such as `['body']`
   */
  async read(dto: Dto | null, value: object, loc: Loc): Promise<object> {
    if (this.pace.isOverdue) await this.pace.turn();
    const known = this.takeKnown(dto, value, loc);
    if (!dto) return known;
    const { plain, inner } = withoutInner(known);
    const instance = Object.assign(plainToInstance(dto, plain), inner) as Record<string, unknown>;
    const errors = validateSync(instance, { whitelist: true, forbidUnknownValues: true });
    this.problems.push(...errors.flatMap(error => toProblems(error, loc)));
    for (const [name, content] of Object.entries(inner)) {
      const nested = nestedDto(dto, name);
      if (nested) instance[name] = await this.readNested(nested, content, [...loc, name]);
    }
    return instance;
  }

  /** The problems for a 422. Unknown fields come last; if `isLenient` they are left out, because a header names them. */
  listProblems(isLenient: boolean): FieldProblem[] {
    const listed = this.problems.slice(0, mostProblems);
    const text = {
      zh: `只列出前 ${mostProblems} 个问题，其余未检查`,
      en: `only the first ${mostProblems} problems are listed; the rest was not checked`,
    };
    if (this.isCut) listed.push({ loc: listed[0]!.loc.slice(0, 1), text, type: 'more_problems' });
    return isLenient ? listed : [...listed, ...this.unknown.toProblems()];
  }

  /** Whether the rest of the request is not checked, because there are `mostProblems` problems. `listProblems` then says so. */
  private cuts(): boolean {
    const isFull = this.problems.length >= mostProblems;
    this.isCut ||= isFull;
    return isFull;
  }

  private takeKnown(dto: Dto | null, value: object, loc: Loc): Record<string, unknown> {
    const { names, mostItems, emptyNulls } = dto ? shapeOf(dto) : nothing;
    const known: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value)) {
      const most = mostItems.get(name);
      if (!names.has(name)) this.unknown.add([...loc, name], names);
      else if (inner !== null || !emptyNulls.has(name))
        known.push([name, most !== undefined && Array.isArray(inner) ? inner.slice(0, most + 1) : inner]);
    }
    return Object.fromEntries(known);
  }

  private async readNested(dto: Dto, value: unknown, loc: Loc): Promise<unknown> {
    if (!Array.isArray(value)) return this.readItem(dto, value, loc);
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      if (this.cuts()) break;
      if (isObject(item)) items.push(await this.read(dto, item, [...loc, index]));
      else this.problems.push({ loc: [...loc, index], ...describeConstraint('isObject', 'must be an object') });
    }
    return items;
  }

  private readItem(dto: Dto, value: unknown, loc: Loc): unknown {
    return isObject(value) && !this.cuts() ? this.read(dto, value, loc) : value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Separates the lists and objects among a DTO's fields from its plain fields, because class-transformer would copy everything in them. */
function withoutInner(fields: Record<string, unknown>): { plain: Record<string, unknown>; inner: Record<string, unknown> } {
  const isInner = ([, value]: [string, unknown]): boolean => typeof value === 'object' && value !== null;
  const all = Object.entries(fields);
  return { plain: Object.fromEntries(all.filter(field => !isInner(field))), inner: Object.fromEntries(all.filter(isInner)) };
}

function toProblems(error: ValidationError, parent: (string | number)[]): FieldProblem[] {
  const loc = [...parent, error.property];
  if (error.value === undefined && error.constraints) {
    return [{ loc, text: { zh: '必填', en: 'is required' }, type: 'missing' }];
  }
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    loc,
    ...describeConstraint(name, message, chineseOf(error.contexts, name)),
  }));
  // A number in place of a text also breaks the rules on the text's length and form. The wrong type is enough to report.
  const wrongType = own.filter(problem => problem.type.endsWith('_type'));
  return wrongType.length > 0 ? wrongType : own;
}
