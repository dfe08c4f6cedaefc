import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsObject, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Length, MaxLength } from '../http/validation/length.decorator.js';
import { type ExecutorReason } from '../retrieval/protocol.js';
import { type Bilingual } from '../text/bilingual.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';

export const answerModes = ['auto', 'none', 'extractive', 'llm'] as const;
export const cacheModes = ['use', 'refresh'] as const;
export const includes = ['graph', 'plan', 'profile', 'source_rows'] as const;
export type AnswerMode = (typeof answerModes)[number];
export type CacheMode = (typeof cacheModes)[number];
export type Include = (typeof includes)[number];

export const maxLimit = 10_000;
/** The highest value that an operator may set as `QUERY_MAX_TIMEOUT_MS`. */
export const maxTimeoutMs = 3_600_000;

/** Explanations of the values of `plan.reason`. */
const executorReasons: Record<ExecutorReason, Bilingual> = {
  no_graph: { zh: '查询不匹配任何节点', en: 'the query matches nothing' },
  only_in_memory: { zh: 'SQL 无法得出完全相同的结果', en: 'SQL cannot have exactly the same results' },
  graph_loaded: { zh: '图已在内存中，且查询沿关系行走', en: 'the graph is in memory, and relationships are followed' },
  small_graph: { zh: '图很小，且查询走多条关系', en: 'the graph is small, and several relationships are followed' },
  value_decides: { zh: '遇到 SQL 无法精确处理的值', en: 'SQL met a value that it cannot calculate with exactly' },
  key_given: { zh: '给出了节点的键', en: 'the key of a node is given' },
  no_relationship: { zh: '不沿关系行走', en: 'no relationship is followed' },
  graph_not_loaded: { zh: '图不在内存中', en: 'the graph is not in memory' },
  graph_changing: { zh: '图在载入期间一再更新', en: 'the graph changed each time that it was loaded' },
  graph_exceeds_memory: { zh: '图超出内存上限', en: 'the graph is larger than the memory for graphs' },
  forced: { zh: '仅用于测试', en: 'only in tests' },
};

function reasons(language: 'zh' | 'en'): string {
  return Object.entries(executorReasons)
    .map(([word, text]) => `${word}: ${text[language]}`)
    .join('; ');
}

export class QueryContext {
  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    example: 17,
    description: '上一个问题的 query_id / the query_id of the earlier question',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  query_id?: number | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 2000,
    description:
      '上一个问题的文字，用于没有 query_id 的答案（如指标）；代词此时只能指它写明的事物 / the text of the earlier question, for an answer without a query_id, such as that of a metric; a pronoun can then stand for what it names only',
  })
  @IsOptional()
  @IsString()
  @Length(1, 2000)
  question?: string | null;
}

export class QueryRequest {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: '中文或英文的问题 / A question in Chinese or English',
    example: '2025年每个地区的销售额是多少？',
    maxLength: 2000,
  })
  @IsOptional()
  @IsString()
  @Length(1, 2000)
  question?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: '检索词 / Words to search for', example: '华东', maxLength: 500 })
  @IsOptional()
  @IsString()
  @Length(1, 500)
  search?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: '只读的 openCypher / openCypher, reading only',
    example: 'MATCH (s:供应商)-[:供应]->(p:产品) WHERE p.单价 > $min RETURN s, count(p) AS n ORDER BY n DESC LIMIT 3',
    maxLength: 20_000,
  })
  @IsOptional()
  @IsString()
  @Length(1, 20_000)
  cypher?: string | null;

  @ApiPropertyOptional({
    description:
      'Cypher 中 $name 的值；1 是整数，1.0 是浮点数，整数可到 64 位 / Values of $name in the Cypher text; 1 is an integer, 1.0 a float, and integers have up to 64 bits',
    example: { min: 10 },
    type: Object,
    nullable: true,
  })
  @IsOptional()
  @IsObject()
  parameters?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'Asia/Shanghai',
    description:
      '提问者的时区。问题：今天、上月等以此计算，默认为指标的时区，没有指标时为 UTC。cypher：date()、datetime() 等未写明时区的时间以此为准，默认 UTC / The zone of whoever asks. For a question, today and last month are those of the zone; by default that of the metric, or UTC. For cypher, the zone of date(), datetime() and other times that name none; by default UTC',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  timezone?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: 20,
    description:
      '问题有歧义时，所选的 choices 中的 token / For a question that was ambiguous: the tokens chosen from the choices of its answer',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @MaxLength(2000, { each: true })
  choices?: string[] | null;

  @ApiPropertyOptional({
    type: QueryContext,
    nullable: true,
    example: { query_id: 17 },
    description:
      '仅问题：它接着哪个问题问，query_id 与 question 二选一。“那1998年呢”沿用上一个问题，只换同类的内容；“他们”“其中”指上一答案。warnings 说明如何理解 / Question only: the question that it follows, by query_id or by its text. "And in 1998?" is the earlier question with that in place of its like; "they" and "which of them" stand for what it found. The warnings say how it was read',
  })
  @IsOptional()
  @Nested(QueryContext)
  context?: QueryContext | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: maxLimit,
    description: '默认：检索 20（最多 200），其他 1000 / default: 20 for a search (at most 200), else 1000',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxLimit)
  limit?: number | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: 50,
    example: ['客户'],
    description: '只找有其中一个标签或别名的节点（仅检索） / Only nodes with one of these labels or aliases (search only)',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @MaxLength(200, { each: true })
  labels?: string[] | null;

  @ApiPropertyOptional({
    type: Object,
    nullable: true,
    example: { country: ['Germany', 'France'], active: true },
    description:
      '只找属性等于所给值、或等于列表中某个值的节点；值是文本、数或布尔，列表属性含有该值即可；最多 10 个属性、每个 100 个值（仅检索） / Only nodes whose properties have this value, or one of a list; values are texts, numbers or booleans, and a property that is a list needs to hold one of them; at most 10 properties with 100 values each (search only)',
  })
  @IsOptional()
  @IsObject()
  where?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: '上一页的 next_cursor（仅检索） / next_cursor of the page before (search only)',
  })
  @IsOptional()
  @IsString()
  @Matches(/^[\w-]{1,200}$/, { message: 'cursor must be the next_cursor of an earlier page' })
  cursor?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: maxTimeoutMs,
    description:
      '超过即停止（毫秒）；上限由 QUERY_MAX_TIMEOUT_MS 设定 / The query is stopped after it (milliseconds); QUERY_MAX_TIMEOUT_MS sets the ceiling',
    example: 30_000,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxTimeoutMs)
  timeout_ms?: number | null;

  @ApiPropertyOptional({
    nullable: true,
    enum: answerModes,
    default: 'auto',
    description:
      '是否用句子作答。auto：有语言模型时用它，失败则给出警告与直接组成的句子；extractive：不用模型；llm：仅问题，模型失败时为 500；none：没有句子 / Whether to answer in sentences. auto: with the language model if there is one, and with a warning and the plain sentence if it fails; extractive: without it; llm: questions only, and 500 if it fails; none: no sentence',
  })
  @IsOptional()
  @IsIn(answerModes)
  answer?: AnswerMode | null;

  @ApiPropertyOptional({
    enum: cacheModes,
    default: 'use',
    description: 'refresh 不使用已存的答案 / refresh passes the stored answer over',
  })
  @IsOptional()
  @IsIn(cacheModes)
  cache?: CacheMode | null;

  @ApiPropertyOptional({
    nullable: true,
    enum: includes,
    isArray: true,
    example: ['plan'],
    description:
      'profile（仅 cypher）：在 plan.profile 中给出各步骤的行数与时间；由 SQL 执行的查询为此再执行一次；这样的答案不保存 / profile (cypher only): rows and time of each operator, in plan.profile; a query that runs as SQL is run once more for it; such an answer is not stored',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsIn(includes, { each: true })
  include?: Include[] | null;
}

/** A request, and the text of its `parameters` exactly as the caller sent it; null if the request has no parameters. */
export type ExactQueryRequest = QueryRequest & { parametersText: string | null };

export class WordedSentenceResponse {
  @ApiProperty({ example: '华东 1,234,567.8 元，居首。' })
  text: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    example: [0],
    description: '所依据的行在 rows 中的序号 / Indexes into rows of the rows it rests on',
  })
  rows: number[];
}

export class SentenceResponse {
  @ApiProperty({ example: '2025年的销售额，按地区：华东 1,234,567.8、华北 765,432.1。' })
  text: string;

  @ApiProperty({
    enum: ['extractive', 'llm'],
    example: 'extractive',
    description: 'llm：由语言模型组成，每句都有依据的行 / llm: worded by the language model; each sentence rests on rows',
  })
  mode: 'extractive' | 'llm';

  @ApiProperty({ enum: ['zh', 'en'], example: 'zh' })
  language: 'zh' | 'en';

  @ApiPropertyOptional({ type: [WordedSentenceResponse], description: '仅 llm / llm only' })
  sentences?: WordedSentenceResponse[];
}

export class LanguageModelResponse {
  @ApiProperty({ example: 'qwen3-32b' })
  name: string;

  @ApiProperty({ example: 1, description: '调用次数 / how often it was called' })
  calls: number;

  @ApiProperty({ example: 412, description: '模型自己的计数 / as the model counts them' })
  prompt_tokens: number;

  @ApiProperty({ example: 57 })
  completion_tokens: number;
}

export class ColumnResponse {
  @ApiProperty({ example: 's' })
  name: string;

  @ApiProperty({
    example: 'node',
    description:
      'node, edge, path, list, map, string, integer, float, number, boolean, date, time, datetime, duration, any；JSON 无法表示的数（NaN、无穷、超过 2^53 的数、位数超过浮点数的小数）在行中是文本，类型仍为 integer、float 或 number / numbers that JSON cannot hold (NaN, the infinities, numbers beyond 2^53, decimals with more digits than a float) are strings in the rows, and the type is still integer, float or number',
  })
  type: string;
}

export class CitationResponse {
  @ApiProperty({ example: 'pg_mirror' })
  connection: string;

  @ApiProperty({ example: 1 })
  connection_id: number;

  @ApiProperty({ example: 'suppliers', description: '源表，映射读取 SQL 时为 query / Source table; `query` where the mapping reads SQL' })
  table: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['orders', 'order_lines'],
    description:
      '仅当映射或绑定读取 SQL 时：其读取的表，最多 100 个；旧版本摄取的图没有此项，直到再次运行 / Only where the mapping or binding reads SQL: the tables it reads, at most 100; absent in graphs of an earlier release until the job runs again',
  })
  query_tables?: string[];

  @ApiProperty({
    example: { supplier_id: '1' },
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      '指标，以及没有自己的键的关系，依据整张表，故为空 / Empty for a metric and for relationships without a key of their own, which rest on whole tables',
  })
  key: Record<string, string>;

  @ApiProperty({ type: String, nullable: true, example: '供应商' })
  label: string | null;

  @ApiPropertyOptional({
    enum: ['node', 'edge'],
    description: '仅当图中有同名的标签与关系类型时 / Only if the graph has a label and an edge type of one name',
  })
  kind?: 'node' | 'edge';

  @ApiProperty({ type: Number, nullable: true, example: 1 })
  job_id: number | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-01-15T08:00:00.000Z' })
  loaded_at: string | null;
}

export class SourceRowResponse {
  @ApiProperty({ example: 0, description: 'citations 中的序号 / Index into citations' })
  citation: number;

  @ApiProperty({ example: { supplier_id: 1, company_name: '华东贸易' }, type: Object })
  row: Record<string, unknown>;
}

export class CacheResponse {
  @ApiProperty({ enum: ['hit', 'miss', 'refresh'], example: 'miss' })
  status: 'hit' | 'miss' | 'refresh';

  @ApiProperty({ type: Number, nullable: true, example: null, description: '已存答案的年龄（秒） / Age of the stored answer in seconds' })
  age_s: number | null;
}

export class ChoiceResponse {
  @ApiProperty({ example: 'WyJub2RlIiwi5a6i5oi3IiwiQzAwMDAxIl0' })
  token: string;

  @ApiProperty({ example: '华东贸易（客户 C00001）' })
  text: string;
}

export class QueryResponse {
  @ApiProperty({ type: Number, nullable: true, example: 17, description: '答案不保存时为 null / null when the answer is not stored' })
  query_id: number | null;

  @ApiProperty({
    enum: ['succeeded', 'ambiguous'],
    example: 'succeeded',
    description:
      'ambiguous：问题有几种理解，见 choices；再问时附上所选的 token / ambiguous: the question can mean several things, see choices; ask again with the tokens of what is meant',
  })
  status: 'succeeded' | 'ambiguous';

  @ApiProperty({ example: 1 })
  graph_version: number;

  @ApiProperty({ type: SentenceResponse, nullable: true })
  answer: SentenceResponse | null;

  @ApiProperty({ type: [ColumnResponse] })
  columns: ColumnResponse[];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: {} },
    example: [[{ id: 1, label: '供应商', labels: ['供应商'], key: '1', display: '华东贸易', properties: {} }, 12]],
  })
  rows: unknown[][];

  @ApiProperty({ type: Object, nullable: true, description: 'include: graph' })
  graph: object | null;

  @ApiProperty({ type: [CitationResponse] })
  citations: CitationResponse[];

  @ApiPropertyOptional({
    type: [SourceRowResponse],
    description:
      'include: source_rows。只有映射取用的列（键、两端与属性的列）；对连接自有 read 权的用户可见整行，API 密钥除外 / include: source_rows. Only the columns that the mapping takes: those of the key, of the ends and of properties. Users with a read right of their own on the connection see the whole row, but not by an API key',
  })
  source_rows?: SourceRowResponse[];

  @ApiProperty({
    type: Object,
    nullable: true,
    description: `include: plan。executor：sql 或 memory；reason：选择的原因（${reasons('zh')}） / include: plan. executor is sql or memory; reason says why: ${reasons('en')}`,
  })
  plan: object | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  next_cursor: string | null;

  @ApiPropertyOptional({ type: LanguageModelResponse, description: '仅当调用了语言模型 / only where a language model was called' })
  language_model?: LanguageModelResponse;

  @ApiProperty({ type: CacheResponse })
  cache: CacheResponse;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' }, example: { execute: 1.8, total: 3.1 } })
  timing_ms: Record<string, number>;

  @ApiProperty({
    type: [ChoiceResponse],
    nullable: true,
    example: null,
    description: '仅当 status 为 ambiguous / Only if status is ambiguous',
  })
  choices: ChoiceResponse[] | null;

  @ApiProperty({
    type: [String],
    example: [],
    description:
      '问题未作答时，可以作答的相近问题，最接近的在前 / When a question was not answered: questions near it that can be, the nearest first',
  })
  suggestions: string[];

  @ApiProperty({ type: [String], example: [] })
  warnings: string[];
}
