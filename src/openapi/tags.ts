/** The groups of API routes, in the order in which a user needs them on the first day. */
export const tags: [name: string, description: string][] = [
  ['auth', '登录与密码：从这里开始 / Login and passwords: start here'],
  ['graphs', '图、节点与邻居 / Graphs, their nodes and neighbours'],
  [
    'warehouse',
    '数仓连接与表，CSV、NDJSON 与 Parquet 上传 / Connections of the warehouse, their tables, uploads of CSV, NDJSON and Parquet',
  ],
  ['ingestion', '用映射把表装入图 / Tables become a graph by a mapping'],
  ['metrics', '定义、绑定与执行指标 / Metrics: define, bind, execute'],
  ['queries', '提问、检索与 openCypher / Questions, search and openCypher'],
  ['permissions', '谁可以使用图与连接 / Who may use a graph or a connection'],
  ['api-keys', '供程序使用的密钥 / Keys for programs'],
  ['admin', '用户与变更记录（管理员） / Users and what changed access, for admins'],
  ['operations', '服务状态与设置 / The state and the settings of the service'],
];
