import { type MappingKeys } from './mapping-key.js';

const oneOfBoth = {
  zh: 'nodes 与 edges 至少写一个',
  en: 'at least one of nodes and edges',
};

export const rootKeys = {
  version: {
    takes: 'whole',
    required: true,
    meaning: { zh: '映射语言的版本，总是 1', en: 'The version of the mapping language, always 1' },
    example: 'version: 1',
  },
  name: {
    takes: 'text',
    max: 200,
    default: { zh: '无', en: 'none' },
    meaning: { zh: '任务的名称，除非创建任务时另给名称', en: 'The name of the job, unless the request that creates it gives another' },
    example: 'name: 人事图谱',
  },
  source: {
    takes: 'map',
    meaning: { zh: '从哪个连接读取，以及怎样读取', en: 'Which connection is read, and how' },
    example: 'source:\n  connection: pg_mirror',
  },
  defaults: {
    takes: 'map',
    meaning: { zh: '怎样对待有错误的行与空文本', en: 'The treatment of rows with errors and of empty texts' },
    example: 'defaults:\n  on_error: quarantine',
  },
  nodes: {
    takes: 'list',
    required: oneOfBoth,
    meaning: {
      zh: '节点，每个标签一项；与 edges 合计最多 200 项',
      en: 'The nodes, one item a label; at most 200 items together with edges',
    },
    example: `nodes:
  - id: employee
    label: 员工
    table: employees
    key: [employee_id]
    columns:
      - {column: employee_id}`,
  },
  edges: {
    takes: 'list',
    required: oneOfBoth,
    meaning: { zh: '关系，每种关系一项', en: 'The edges, one item for each kind of relationship' },
    example: `edges:
  - type: 汇报给
    table: employees
    from: {node: employee, match: {employee_id: employee_id}}
    to: {node: employee, match: {reports_to: employee_id}}`,
  },
  batch_size: {
    takes: 'whole',
    default: { zh: '无', en: 'none' },
    meaning: {
      zh: '1 到 1000000；没有作用：一次运行是一个事务，没有中途可续的批次。其他工具的映射因此无须改动',
      en: '1 to 1,000,000; has no effect, because a run is one transaction and has no batches to go on from; accepted so that mappings of other tools need no change',
    },
    example: 'batch_size: 10000',
  },
} as const satisfies MappingKeys;

export const sourceKeys = {
  connection: {
    takes: 'text',
    max: 128,
    default: { zh: '默认的镜像连接', en: 'the default mirror connection' },
    meaning: { zh: '数仓连接的名称', en: 'The name of a warehouse connection' },
    example: 'connection: pg_mirror',
  },
  timezone: {
    takes: 'text',
    max: 64,
    default: 'UTC',
    meaning: {
      zh: '没有时区的日期时间按此时区读取，图中的日期时间按此时区书写；IANA 名称',
      en: 'Date-times without a zone are read in this one, and all are written in it in the graph; an IANA name',
    },
    example: 'timezone: Asia/Shanghai',
  },
  statement_timeout: {
    takes: 'duration',
    default: '300s',
    meaning: {
      zh: '运行中每一步的最长时间；上限由 INGESTION_MAX_STATEMENT_TIMEOUT_MS 设定',
      en: 'The longest time of one step of a run; INGESTION_MAX_STATEMENT_TIMEOUT_MS sets its ceiling',
    },
    example: 'statement_timeout: 10m',
  },
} as const satisfies MappingKeys;

export const defaultsKeys = {
  on_error: {
    takes: 'text',
    values: ['fail', 'quarantine'],
    default: 'fail',
    meaning: {
      zh: 'fail：任何一行违反规则，整次运行失败，图不变；quarantine：把这样的行连同原因放在一边，写入其余的行',
      en: 'fail: a row that breaks a rule fails the whole run and the graph stays as it was; quarantine: such rows are put aside with their reasons, and the others are written',
    },
    example: 'on_error: quarantine',
  },
  max_error_rows: {
    takes: 'whole',
    default: 1000,
    meaning: { zh: '被拒绝的行超过此数时运行失败', en: 'The run fails when more rows than this are rejected' },
    example: 'max_error_rows: 50',
  },
  max_error_rate: {
    takes: 'number',
    default: 0.1,
    meaning: {
      zh: '被拒绝的行占已读行的比例（0 到 1）超过此值时运行失败',
      en: 'The run fails when a larger part (0 to 1) of the rows read is rejected',
    },
    example: 'max_error_rate: 0.01',
  },
  empty_as_null: {
    takes: 'boolean',
    default: true,
    meaning: { zh: '空文本视为没有值', en: 'An empty text counts as no value' },
    example: 'empty_as_null: false',
  },
  trim: {
    takes: 'boolean',
    default: false,
    meaning: { zh: '去掉每个文本两端的空白', en: 'Takes the white space off both ends of every text' },
    example: 'trim: true',
  },
} as const satisfies MappingKeys;
