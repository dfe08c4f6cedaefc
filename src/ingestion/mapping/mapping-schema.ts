import { joined } from '../../text/bilingual.js';
import { columnKeys, transformWords, typeWords } from './column-keys.js';
import { deletesKeys, edgeKeys, endKeys, furtherLabelKeys, incrementalKeys, nodeKeys } from './element-keys.js';
import { type MappingKey, type MappingKeys, type MappingWord } from './mapping-key.js';
import { type Transform } from './mapping.js';
import { defaultsKeys, rootKeys, sourceKeys } from './root-keys.js';
import { formatWords } from './rule-formats.js';
import { modifierKeys, referenceKeys, ruleWords } from './rule-words.js';
import { maxText, maxTexts } from './yaml-reader.js';

/** A JSON Schema of draft 7, which is the draft that YAML editors understand. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const text = (max: number): JsonSchema => ({ type: ['string', 'number'], minLength: 1, maxLength: max });
const scalar: JsonSchema = { type: ['string', 'number', 'boolean', 'null'], maxLength: maxText };
const whole: JsonSchema = { type: 'integer', minimum: 0 };
const flag: JsonSchema = { enum: [true, null] };

/** The schema of a map with these keys. `own` has the schemas of keys that hold more than a single value, by key. */
function object(keys: MappingKeys, own: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(keys).map(([name, key]) => {
      const schema = own[name] ?? schemaOf(key);
      // A YAML null counts as an absent key, so null is allowed for optional keys.
      return [name, { description: joined(key.meaning), ...(key.required === true ? schema : orNull(schema)) }];
    }),
  );
  const required = Object.keys(keys).filter(name => keys[name]!.required === true);
  return { type: 'object', properties, required, additionalProperties: false };
}

function oneOf(names: string[], schema: JsonSchema): JsonSchema {
  return { ...schema, oneOf: names.map(name => ({ required: [name] })) };
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

function schemaOf({ takes, max = maxText, values }: MappingKey): JsonSchema {
  if (values) return { enum: values };
  switch (takes) {
    case 'text':
      return text(max);
    case 'texts':
      return { type: 'array', items: text(max), maxItems: maxTexts };
    case 'duration':
      return { type: ['string', 'number'], pattern: '^\\s*[0-9]{1,9}(ms|s|m|h|d)?\\s*$' };
    case 'whole':
      return whole;
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'scalar':
      return scalar;
    case 'list':
      return { type: 'array' };
    case 'map':
      return { type: 'object' };
    default:
      return takes satisfies never;
  }
}

const types: JsonSchema = {
  anyOf: [
    { enum: Object.keys(typeWords).filter(name => !name.startsWith('decimal')) },
    { type: 'string', pattern: '^decimal\\(\\s*[0-9]{1,4}\\s*,\\s*[0-9]{1,4}\\s*\\)(\\[\\])?$' },
  ],
};

/** The schema of the argument of each transform; null for a transform without an argument. */
const transformArguments: Record<Transform['kind'], JsonSchema | null> = {
  trim: null,
  lower: null,
  upper: null,
  nfc: null,
  nfkc: null,
  collapse_space: null,
  number_cn: null,
  map: { type: 'object', additionalProperties: scalar },
  null_if: { type: 'array', items: scalar },
  split: text(20),
  substring: { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 2, maxItems: 2 },
  date_format: text(60),
};

/** The schema of the argument of each rule. */
const ruleArguments: Record<keyof typeof ruleWords, JsonSchema> = {
  required: flag,
  unique: flag,
  not_in_future: flag,
  one_of: { type: 'array', items: scalar, minItems: 1 },
  pattern: text(maxText),
  min: text(100),
  max: text(100),
  min_length: whole,
  max_length: whole,
  precision: { type: 'array', items: whole, minItems: 2, maxItems: 2 },
  format: { enum: Object.keys(formatWords) },
  expression: text(maxText),
  when: text(maxText),
  references: object(referenceKeys, {}),
};

const transform: JsonSchema = {
  type: 'array',
  maxItems: 20,
  items: {
    anyOf: [
      { enum: Object.keys(transformWords).filter(name => transformArguments[name as Transform['kind']] === null) },
      ...Object.entries(transformArguments).flatMap(([name, argument]) =>
        argument === null ? [] : [single(name, argument, transformWords)],
      ),
    ],
  },
};

const rules: JsonSchema = { $ref: '#/definitions/rules' };
const named = Object.keys(ruleArguments).filter(name => name !== 'when');
const bareRule: JsonSchema = { enum: named.filter(name => ruleArguments[name as keyof typeof ruleWords] === flag) };
const rule: JsonSchema = oneOf(named, {
  type: 'object',
  properties: {
    ...Object.fromEntries(named.map(name => [name, described(ruleArguments[name as keyof typeof ruleWords], ruleWords[name as 'min'])])),
    ...(object(modifierKeys, {}).properties as object),
  },
  additionalProperties: false,
});
const condition: JsonSchema = {
  type: 'object',
  properties: { when: described(ruleArguments.when, ruleWords.when), rules },
  required: ['when', 'rules'],
  additionalProperties: false,
};

function single(name: string, argument: JsonSchema, words: Readonly<Record<string, MappingWord>>): JsonSchema {
  return { type: 'object', properties: { [name]: described(argument, words[name]!) }, required: [name], additionalProperties: false };
}

function described(schema: JsonSchema, { meaning }: MappingWord): JsonSchema {
  return { description: joined(meaning), ...schema };
}

const columns: JsonSchema = { type: 'array', maxItems: 200, items: { $ref: '#/definitions/column' } };
const end = object(endKeys, { match: { type: 'object', additionalProperties: text(63), minProperties: 1 } });
const changes = { incremental: object(incrementalKeys, {}), deletes: object(deletesKeys, {}) };
const labels: JsonSchema = { type: 'array', maxItems: 32, items: { anyOf: [text(128), object(furtherLabelKeys, {})] } };
const node = object(nodeKeys, { labels, id: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 63 }, ...changes, columns });
const edge = object(edgeKeys, { from: end, to: end, ...changes, columns });

/**
 * The JSON Schema of a mapping, made from the tables of keys that the parser reads. The schema accepts every mapping that the parser
 * accepts. The parser also follows references and checks what a schema cannot express, so it refuses some mappings that the schema accepts.
 * @param id the URL at which the schema is served
 */
export function mappingSchema(id: string): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: id,
    title: '映射 / Mapping',
    ...object(rootKeys, {
      version: { const: 1 },
      source: object(sourceKeys, {}),
      defaults: object(defaultsKeys, { max_error_rate: { type: 'number', minimum: 0, maximum: 1 } }),
      nodes: { type: 'array', maxItems: 200, items: oneOf(['table', 'query'], node) },
      edges: { type: 'array', maxItems: 200, items: oneOf(['table', 'query'], edge) },
    }),
    anyOf: [{ required: ['nodes'] }, { required: ['edges'] }],
    definitions: {
      column: oneOf(['column', 'expression', 'constant'], object(columnKeys, { type: types, transform, rules })),
      rules: { type: 'array', items: { anyOf: [bareRule, rule, condition] } },
    },
  };
}
