import { CypherSyntaxError, placeOf, type TextPlace } from '../syntax/cypher.errors.js';
import { type Name } from '../syntax/cypher-ast.js';
import { spend } from '../syntax/effort.js';
import { type CypherMap } from '../values/cypher-value.js';
import { type GraphSchema } from './graph-schema.js';
import { QueryParameters } from './query-parameters.js';
import { type ResolvedProperty } from './schema-elements.js';
import { SchemaIndex } from './schema-index.js';
import { type QueryWarning } from './typed-tree.js';

/** Maximum unknown names of a query for which the nearest name is sought: each is compared with thousands of names. */
const mostSuggestions = 5;

/** Maximum labels or types that a warning names as lacking a property. */
const mostOwners = 3;

/**
 * The context of one query: its text for lines and columns in errors, the caller's parameters, and the graph's schema. An unknown label,
 * type or property gives a warning with the nearest name, and matches nothing, as in openCypher.
 */
export class QueryContext {
  readonly schema: SchemaIndex;
  readonly parameters: QueryParameters;
  private readonly unknown = new Map<string, QueryWarning>();
  private readonly mismatches: QueryWarning[] = [];

  /** @param text the query text; '' for a tree built in code */
  constructor(
    private readonly text: string,
    schema: GraphSchema,
    parameters: CypherMap,
  ) {
    this.schema = SchemaIndex.of(schema);
    this.parameters = new QueryParameters(parameters, position => this.place(position));
  }

  place(position: number): TextPlace | null {
    return this.text === '' ? null : placeOf(this.text, position);
  }

  error(zh: string, en: string, position: number): CypherSyntaxError {
    return new CypherSyntaxError({ zh, en }, this.place(position));
  }

  label({ name, position }: Name): string {
    const found = this.schema.findLabel(name);
    if (found === null) this.warnUnknown('unknown_label', '标签', 'label', name, () => this.schema.nearestLabel(name), position);
    return found ?? name;
  }

  edgeType({ name, position }: Name): string {
    const found = this.schema.findType(name);
    if (found === null)
      this.warnUnknown('unknown_type', '关系类型', 'relationship type', name, () => this.schema.nearestType(name), position);
    return found ?? name;
  }

  /**
   * The stored name of a property and its type, for elements with one of these labels or types.
   * @param owners empty for edges of any type
   */
  property(name: string, kind: 'node' | 'edge', owners: string[]): ResolvedProperty {
    const { schema } = this;
    const resolved = kind === 'node' ? schema.nodeProperty(name, owners) : schema.edgeProperty(name, owners);
    if (resolved.known) return resolved;
    const nearest = () => (kind === 'node' ? schema.nearestNodeProperty(name, owners) : schema.nearestEdgeProperty(name, owners));
    const isElsewhere = kind === 'node' ? schema.nodeProperty(name, schema.labelNames).known : schema.edgeProperty(name, []).known;
    this.warnUnknown('unknown_property', '属性', 'property', name, nearest, null, isElsewhere ? owners : []);
    return resolved;
  }

  warnMismatch(warning: Omit<QueryWarning, 'code'>): void {
    this.mismatches.push({ code: 'type_mismatch', ...warning });
  }

  warnings(): QueryWarning[] {
    return [...this.unknown.values(), ...this.mismatches, ...this.parameters.unused()];
  }

  private warnUnknown(
    code: QueryWarning['code'],
    zh: string,
    en: string,
    name: string,
    findNearest: () => string | null,
    position: number | null,
    /**
     * The labels or types that the warning names, because only other labels or types have the property. If empty, the warning says that the
     * graph lacks the name.
     */
    owners: readonly string[] = [],
  ): void {
    if (this.schema.isEmpty || this.unknown.has(`${code} ${name}`)) return;
    spend(this.text.length >> 5);
    const nearest = this.unknown.size < mostSuggestions ? findNearest() : null;
    const whose =
      owners.length === 0
        ? { zh: '图中', en: 'The graph has' }
        : { zh: owners.slice(0, mostOwners).join('、'), en: `${owners.slice(0, mostOwners).join(', ')} has` };
    const text = {
      zh: `${whose.zh}没有${zh}「${name}」${nearest === null ? '' : `，是否指「${nearest}」？`}`,
      en: `${whose.en} no ${en} ${name}${nearest === null ? '' : `; did you mean ${nearest}?`}`,
    };
    const place = position === null ? null : this.place(position);
    this.unknown.set(`${code} ${name}`, { code, text, context: { name, ...(nearest === null ? {} : { nearest }), ...place } });
  }
}
