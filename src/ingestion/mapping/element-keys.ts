import { type MappingKeys } from './mapping-key.js';

const tableOrQuery = { zh: '须在 table 与 query 中恰好写一个', en: 'exactly one of table and query' };

const sharedKeys = {
  aliases: {
    takes: 'texts',
    max: 128,
    default: { zh: '无', en: 'none' },
    meaning: { zh: '其他名称，可用于提问与 Cypher', en: 'Other names, for questions and for Cypher' },
    example: 'aliases: [Employee, 职员]',
  },
  table: {
    takes: 'text',
    max: 127,
    required: tableOrQuery,
    meaning: { zh: '要读取的表', en: 'The table that is read' },
    example: 'table: employees',
  },
  query: {
    takes: 'text',
    max: 20_000,
    required: tableOrQuery,
    meaning: { zh: '代替表的一条 SELECT，受检后执行', en: 'One SELECT in place of a table; it runs after it is checked' },
    example: 'query: SELECT employee_id, full_name, reports_to FROM employees',
  },
  where: {
    takes: 'text',
    default: { zh: '所有行', en: 'all rows' },
    meaning: { zh: '只读取符合此 SQL 条件的行', en: 'Only the rows for which this SQL condition holds are read' },
    example: `where: status <> 'applicant'`,
  },
} as const satisfies MappingKeys;

const changeKeys = {
  incremental: {
    takes: 'map',
    default: { zh: '每次读取所有行', en: 'every run reads all rows' },
    meaning: {
      zh: '每次运行从上一次停下的地方继续读取；随节点删除的关系，要到其行再次被读取时才会恢复',
      en: 'Each run reads on from where the last one ended; relationships that went with a removed node come back only when their rows are read again',
    },
    example: 'incremental: {cursor: changed_at, type: datetime}',
  },
  deletes: {
    takes: 'map',
    default: {
      zh: 'mode: snapshot；写了 incremental 时为 mode: none',
      en: 'mode: snapshot, or mode: none together with incremental',
    },
    meaning: {
      zh: '节点或关系何时从图中删除；仍由其他任务给出的元素会保留',
      en: 'When nodes or relationships are removed from the graph; what another job still yields stays',
    },
    example: 'deletes: {mode: column, column: status, equals: left}',
  },
} as const satisfies MappingKeys;

const columnsExample = 'columns:\n  - {column: employee_id, type: int}\n  - {column: full_name, property: 姓名}';

export const nodeKeys = {
  id: {
    takes: 'text',
    max: 63,
    required: true,
    meaning: {
      zh: '本映射中关系两端所用的名称；英文字母、数字与下划线，不以数字开头',
      en: 'The name by which the edges of this mapping refer to the node; ASCII letters, digits and underscores, no digit first',
    },
    example: 'id: employee',
  },
  label: {
    takes: 'text',
    max: 128,
    required: true,
    meaning: { zh: '图中的节点标签', en: 'The label of the nodes in the graph' },
    example: 'label: 员工',
  },
  labels: {
    takes: 'list',
    default: { zh: '无', en: 'none' },
    meaning: {
      zh: '节点另有的标签，最多 32 个，每个可带条件；可以与其他节点的 label 同名，MATCH 时两者一并找到；一张图的节点最多有 4,096 种不同的标签组合',
      en: 'Further labels of the nodes, at most 32, each with a condition if wanted; one may be the label of other nodes, and MATCH then finds both; the nodes of a graph have at most 4,096 different sets of labels',
    },
    example: `labels: [人, {name: 经理, aliases: [Manager], when: grade >= 7}]`,
  },
  ...sharedKeys,
  key: {
    takes: 'texts',
    max: 63,
    required: true,
    meaning: {
      zh: '合起来标识一个节点的列，最多 32 列，都须列在 columns 中；同一键的行写入同一节点；相等的数值是同一键（类型为 int 时 007 即 7），要保留前导零请用 string',
      en: 'The columns that together identify a node, at most 32, all listed in columns; rows with one key are one node; equal numbers are one key (007 is 7 for an int), so a code that keeps its zeros is a string',
    },
    example: 'key: [employee_id]',
  },
  ...changeKeys,
  columns: {
    takes: 'list',
    required: true,
    meaning: { zh: '成为属性的列，1 到 200 项', en: 'The columns that become properties, 1 to 200 items' },
    example: columnsExample,
  },
  display: {
    takes: 'text',
    max: 63,
    default: {
      zh: '第一个名字像名称的文本列，没有则为键',
      en: 'the first text column that is named like a name; the key if there is none',
    },
    meaning: { zh: '节点以哪一列显示；须列在 columns 中', en: 'The column by which a node is shown; it must be listed in columns' },
    example: 'display: full_name',
  },
  write: {
    takes: 'text',
    values: ['merge', 'replace'],
    default: 'merge',
    meaning: {
      zh: 'merge：保留其他任务写入的属性；replace：节点只有本映射的属性',
      en: 'merge keeps the properties that other jobs wrote; replace leaves a node with those of this mapping only',
    },
    example: 'write: replace',
  },
} as const satisfies MappingKeys;

/** The keys of an item of `labels`. An item may also be only the name of the label. */
export const furtherLabelKeys = {
  name: {
    takes: 'text',
    max: 128,
    required: true,
    meaning: { zh: '标签', en: 'The label' },
    example: 'name: 经理',
  },
  aliases: {
    takes: 'texts',
    max: 128,
    default: { zh: '无', en: 'none' },
    meaning: { zh: '其他名称，可用于 Cypher 与搜索', en: 'Other names, for Cypher and searches' },
    example: 'aliases: [Manager]',
  },
  when: {
    takes: 'text',
    default: { zh: '所有节点', en: 'all nodes' },
    meaning: {
      zh: '只有行符合此 SQL 条件的节点才有该标签；条件为假或为空时没有，下次运行随行变化而增减',
      en: 'Only nodes whose row fulfils this SQL condition have the label; not if it is false or null. Runs add and remove it as rows change',
    },
    example: 'when: grade >= 7',
  },
} as const satisfies MappingKeys;

const endExample = '{node: employee, match: {employee_id: employee_id}}';

export const edgeKeys = {
  type: {
    takes: 'text',
    max: 128,
    required: true,
    meaning: { zh: '图中的关系类型', en: 'The type of the edges in the graph' },
    example: 'type: 汇报给',
  },
  ...sharedKeys,
  key: {
    takes: 'texts',
    max: 63,
    default: { zh: '两个节点之间至多一条关系', en: 'at most one edge between two nodes' },
    meaning: { zh: '区分同样两个节点之间多条关系的列', en: 'The columns that tell several edges between the same two nodes apart' },
    example: 'key: [since]',
  },
  ...changeKeys,
  columns: {
    takes: 'list',
    default: { zh: '关系没有属性', en: 'the edges have no properties' },
    meaning: { zh: '成为关系属性的列，最多 200 项', en: 'The columns that become properties of the edges, at most 200 items' },
    example: 'columns:\n  - {column: since, property: 起始日期, type: date}',
  },
  from: {
    takes: 'map',
    required: true,
    meaning: { zh: '关系的起点', en: 'The node at which the edge starts' },
    example: `from: ${endExample}`,
  },
  to: {
    takes: 'map',
    required: true,
    meaning: { zh: '关系的终点', en: 'The node at which the edge ends' },
    example: 'to: {node: employee, match: {reports_to: employee_id}}',
  },
} as const satisfies MappingKeys;

/** The keys of `from` and `to`, the ends of an edge. */
export const endKeys = {
  node: {
    takes: 'text',
    max: 134,
    required: true,
    meaning: {
      zh: '本映射中某个节点的 id，或 label:标签，即由其他任务装入的节点',
      en: 'The id of a node of this mapping, or label: and a label, whose nodes another job loads',
    },
    example: 'node: label:员工',
  },
  match: {
    takes: 'map',
    required: true,
    meaning: {
      zh: '关系的列与节点的键列配对（关系的列: 节点的键列），须覆盖节点的全部键列',
      en: 'Pairs of a column of the edge and a key column of the node (edge column: key column); all key columns must be there',
    },
    example: 'match: {manager_id: employee_id}',
  },
  on_missing: {
    takes: 'text',
    values: ['quarantine', 'skip', 'create', 'fail'],
    default: 'quarantine',
    meaning: {
      zh: '找不到节点时：quarantine 拒绝该行，skip 略过该行，fail 使运行失败，create 建立只有键属性的占位节点（stub）；两端不同时以较严的为准。占位节点只被写有 create 的一端找到，在其行被读到时成为真正的节点（id 不变），在最后一条关系消失的运行结束时删除，不满足 references；键不能按节点键的类型读取的行被拒绝；label: 的节点须先由其任务装入过',
      en: 'Without such a node, quarantine rejects the row, skip leaves it out, fail fails the run, create makes a stub, a node with its key properties only; of two ends the stricter one decides. Only ends with create find stubs. A stub becomes the real node, with the same id, when its row is read. It goes at the end of the run in which its last relationship goes, and it does not fulfil references. A row whose key cannot be read in the type of the key of the node is rejected. Nodes of a label: must have been loaded by their job before',
    },
    example: 'on_missing: skip',
  },
} as const satisfies MappingKeys;

export const incrementalKeys = {
  cursor: {
    takes: 'text',
    max: 63,
    required: true,
    meaning: {
      zh: '随每次变更增大的列；没有值的行每次都读取',
      en: 'A column that grows with every change; rows without a value are read every time',
    },
    example: 'cursor: changed_at',
  },
  type: {
    takes: 'text',
    values: ['date', 'datetime', 'int', 'bigint'],
    required: true,
    meaning: { zh: '该列按何种类型比较', en: 'The type by which the column is compared' },
    example: 'type: datetime',
  },
  lag: {
    takes: 'duration',
    default: 0,
    meaning: {
      zh: '从上次位置往回再读多少，以免漏掉迟到的行；整数列写整数',
      en: 'How far before the last place a run reads again, for rows that come late; a whole number for integer columns',
    },
    example: 'lag: 7d',
  },
  initial: {
    takes: 'text',
    max: 60,
    default: { zh: '从头开始', en: 'from the beginning' },
    meaning: { zh: '第一次运行从何处开始', en: 'The place where the first run begins' },
    example: `initial: '2024-01-01'`,
  },
} as const satisfies MappingKeys;

const withColumn = { zh: 'mode 为 column 时', en: 'when mode is column' };

export const deletesKeys = {
  mode: {
    takes: 'text',
    values: ['none', 'column', 'snapshot'],
    required: true,
    meaning: {
      zh: 'snapshot：来源不再给出的行（包括被 where 滤掉的）被删除，被规则拒绝的行保持原样，不能与 incremental 并用；column：由某列的值决定；none：不删除。映射改版后若读取别的行或别的键（连接、时区、表、query、where、key 等有变），则无论 mode 为何，不再给出的元素都会删除；dry_run=true 会说明',
      en: 'snapshot: what has left the source goes, also by where, while a row that rules reject keeps its element as it was; not together with incremental. column: the value of a column decides. none: nothing is deleted. After a revision that reads other rows or other keys (another connection, timezone, table, query, where, key and the like), what the job yields no longer goes under every mode; dry_run=true tells',
    },
    example: 'mode: column',
  },
  column: {
    takes: 'text',
    max: 63,
    required: withColumn,
    meaning: { zh: '标记删除的列', en: 'The column that marks a deleted row' },
    example: 'column: status',
  },
  equals: {
    takes: 'scalar',
    required: withColumn,
    meaning: { zh: '该列等于此值时，节点连同其关系被删除', en: 'With this value there, the node is removed with its edges' },
    example: 'equals: left',
  },
} as const satisfies MappingKeys;
