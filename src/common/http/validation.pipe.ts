import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError } from 'class-validator';
import { type FieldProblem, SchemaError } from '../errors/api-error.js';
import { MalformedBodyError, MissingFieldsError, UnsupportedMediaTypeError } from '../errors/common-errors.js';
import { describeConstraint } from './describe-constraint.js';
import { findUnusableValues } from './find-unusable-values.js';
import { withoutEmptyNulls } from './optional-nulls.js';
import { currentRequest } from './request-context.js';

type Dto = new () => object;

const maxIgnoredNamed = 20;
const maxIgnoredLength = 40;

/**
 * Turns bodies and queries into their DTO, and keeps what no field can take from every route, path parameters included. A
 * missing required field is a 400, a value that breaks its schema a 422 that lists all of them; fields the DTO does not know
 * are dropped and named in `X-Ignored-Fields`.
 */
@Injectable()
export class DtoPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype, data }: ArgumentMetadata): Promise<unknown> {
    if (type === 'custom') return value;
    if (type === 'body' && takesDto(metatype)) requireObject(value);
    const unusable = findUnusableValues(value, type === 'param' ? ['path', ...(data === undefined ? [] : [data])] : [type]);
    if (unusable.length > 0) throw new SchemaError(unusable);
    if (type === 'param' || !takesDto(metatype)) return value;
    const plain = withoutEmptyNulls(metatype, value as Record<string, unknown>);
    const known = fieldsOf(metatype);
    // Nothing is spent on what is ignored.
    const dto = plainToInstance(metatype, Object.fromEntries(Object.entries(plain).filter(([name]) => known.has(name))));
    const errors = await validate(dto, { whitelist: true, forbidUnknownValues: true });
    nameIgnoredFields(Object.keys(plain).filter(name => !known.has(name)));

    const problems = errors.flatMap(error => toProblems(error, [type]));
    const broken = problems.filter(problem => problem.type !== 'missing');
    if (broken.length > 0) throw new SchemaError(problems);
    if (problems.length > 0) throw new MissingFieldsError(problems.map(problem => problem.loc.slice(1).join('.')));
    return dto;
  }
}

function takesDto(metatype: ArgumentMetadata['metatype']): metatype is Dto {
  return metatype !== undefined && (metatype as unknown) !== Object;
}

const fields = new Map<Dto, ReadonlySet<string>>();

/** The names that the rules of a DTO speak of. */
function fieldsOf(dto: Dto): ReadonlySet<string> {
  let names = fields.get(dto);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    fields.set(dto, (names = new Set(rules.map(({ propertyName }) => propertyName))));
  }
  return names;
}

function requireObject(value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const headers = currentRequest()?.request.headers;
  const sent =
    headers?.['content-length'] !== '0' && (headers?.['content-length'] !== undefined || headers?.['transfer-encoding'] !== undefined);
  if (value === undefined && sent && !/^application\/(\w+\+)?json\b/i.test(headers?.['content-type'] ?? '')) {
    throw new UnsupportedMediaTypeError('application/json');
  }
  throw new MalformedBodyError();
}

function nameIgnoredFields(names: string[]): void {
  if (names.length === 0) return;
  // Header values are Latin-1; encoding keeps any name readable and harmless. Clients take about 16 kB of headers.
  const list = names.slice(0, maxIgnoredNamed).map(name => encodeURIComponent(name.slice(0, maxIgnoredLength).toWellFormed()));
  currentRequest()?.response.setHeader('X-Ignored-Fields', list.join(', '));
}

function toProblems(error: ValidationError, parent: (string | number)[]): FieldProblem[] {
  const loc = [...parent, /^\d+$/.test(error.property) ? Number(error.property) : error.property];
  if (error.value === undefined && error.constraints) {
    return [{ loc, msg: '必填 / is required', type: 'missing' }];
  }
  const all = Object.entries(error.constraints ?? {}).map(([name, message]) => ({ loc, ...describeConstraint(name, message) }));
  // A nested object is asked for by two rules.
  const own = all.filter(({ type }, index) => all.findIndex(other => other.type === type) === index);
  // A number that should be a text is also too short, too long and of the wrong form: the type says it all.
  const wrongType = own.filter(problem => problem.type.endsWith('_type'));
  return [...(wrongType.length > 0 ? wrongType : own), ...(error.children ?? []).flatMap(child => toProblems(child, loc))];
}
