/** The import rules. The comment of each rule is the sentence that a reader needs when it fails. */

/** The folders from the ground up. Each may import those before it, and none of those behind it. */
const floors = [
  ['text', 'sql'],
  ['common'],
  ['config'],
  ['database'],
  ['egress', 'secrets', 'language-model'],
  ['http'],
  ['telemetry'],
  ['sql-guard'],
  ['access'],
  ['audit', 'limits', 'licensing'],
  ['idempotency'],
  ['users'],
  ['auth'],
  ['schedules', 'webhooks'],
  ['graphs', 'warehouse'],
  ['api-keys', 'permissions'],
  ['ingestion', 'metrics'],
  ['cypher', 'graph-index'],
  ['questions'],
  ['retrieval'],
  ['queries'],
  ['health', 'retention', 'openapi', 'process', 'backup'],
];

/** The rooms of a folder, likewise. */
const rooms = {
  cypher: ['syntax', 'values', 'functions', 'semantics', 'plan', 'executors'],
  questions: ['linking', 'planning', 'wording'],
  metrics: ['formula', 'patterns', 'plan', 'binding', 'watches'],
  ingestion: ['mapping', 'staging', 'suggest', 'run'],
  warehouse: ['files', 'clients', 'mirror', 'connections', 'grants', 'tables', 'copies', 'references'],
};

const folders = names => `^src/(${names.join('|')})/`;
const upwards = floors.flatMap((floor, level) => {
  const above = floors.slice(level + 1).flat();
  const beside = name => floor.filter(other => other !== name);
  return floor.map(name => ({
    name: `no-way-up-from-${name}`,
    severity: 'error',
    comment: 'Folders stand on floors (see the list in this file); an import goes down, never up and never to the side.',
    from: { path: folders([name]) },
    to: { path: ['^src/[^/]+$', ...(above.length + beside(name).length > 0 ? [folders([...above, ...beside(name)])] : [])] },
  }));
});

const betweenRooms = Object.entries(rooms).flatMap(([folder, names]) =>
  names.slice(0, -1).map((name, index) => ({
    name: `no-way-up-from-${folder}-${name}`,
    severity: 'error',
    comment: 'The rooms of a folder stand on each other in the order of the list in this file.',
    from: { path: `^src/${folder}/${name}/`, pathNot: '[.-]spec\\.ts$' },
    to: { path: `^src/${folder}/(${names.slice(index + 1).join('|')})/` },
  })),
);

const pure = [
  '^src/sql/',
  '^src/common/errors/',
  '^src/text/',
  '^src/sql-guard/',
  '^src/metrics/(formula|patterns|plan)/',
  '^src/ingestion/mapping/',
  '^src/(cypher|graph-index|questions)/',
  '^src/warehouse/mirror/csv/csv-[^/]*$',
  '^src/warehouse/mirror/ndjson/(json-|ndjson-|row-)[^/]*$',
  '^src/licensing/verification/',
];

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one file, or need a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'every-folder-has-a-floor',
      severity: 'error',
      comment: 'A new folder is put on its floor in the list in this file.',
      from: { path: '^src/[^/]+/', pathNot: folders(floors.flat()) },
      to: {},
    },
    ...upwards,
    ...betweenRooms,
    {
      name: 'other-features-by-the-front-door',
      severity: 'error',
      comment:
        'From another feature import its module, its service, its errors or its pure parts, never its repository, entity, DTO or controller.',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/([^/]+)/.*\\.(repository|entity|dto|controller)\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'pure-stays-pure',
      severity: 'error',
      comment: 'Parsers, compilers and engines import no framework and no ORM, so that they can be read and tested alone.',
      from: { path: pure, pathNot: '[.-]spec\\.ts$' },
      to: {
        path: '(@nestjs|typeorm|node_modules/pg/|^src/(config|database)/)',
        pathNot: '^src/(database/graph-tables|config/license-settings)\\.ts$',
      },
    },
    {
      name: 'parsers-run-anywhere',
      severity: 'error',
      comment: 'The formula, mapping and Cypher parsers use no Node module, so that a browser can run the same code.',
      from: {
        path: ['^src/text/', '^src/metrics/formula/', '^src/ingestion/mapping/', '^src/cypher/syntax/'],
        pathNot: '[.-]spec\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'parsers-know-no-http',
      severity: 'error',
      comment: 'A parser says what is wrong with a text as a LanguageError; its feature decides what that answers over HTTP.',
      from: {
        path: ['^src/metrics/formula/', '^src/ingestion/mapping/', '^src/cypher/syntax/', '^src/sql-guard/'],
        pathNot: '[.-]spec\\.ts$',
      },
      to: { path: '^src/(common/errors|http)/' },
    },
    {
      name: 'orm-in-repositories-only',
      severity: 'error',
      comment: 'TypeORM appears in repositories, entities, modules and database/ only; services speak the domain.',
      from: { path: '^src/', pathNot: '((\\.(repository|entity|module)|[.-]spec)\\.ts$|^src/database/)' },
      to: { path: 'node_modules/(typeorm|@nestjs/typeorm)/' },
    },
    {
      name: 'controllers-delegate',
      severity: 'error',
      comment: 'A controller calls services; repositories and entities stay behind them.',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.(repository|entity)\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
