/** Who may import whom. Each rule's comment is the sentence a reader needs when it fails. */
const features =
  '^src/(access|api-keys|audit|auth|licensing|limits|permissions|users|graphs|warehouse|ingestion|metrics|queries|retrieval|health)/';
const pure = [
  '^src/common/errors/',
  '^src/text/',
  '^src/sql-guard/',
  '^src/metrics/(formula|compiler)/',
  '^src/ingestion/mapping/',
  '^src/retrieval/(cypher|engine|question)/',
  '^src/warehouse/csv/csv-[^/]*$',
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
      name: 'foundation-knows-no-feature',
      severity: 'error',
      comment: 'common, config, database, telemetry and text serve every feature and so may know none of them.',
      from: { path: '^src/(common|config|database|telemetry|text)/' },
      to: { path: features },
    },
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
      from: { path: pure, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '(@nestjs|typeorm|node_modules/pg/|^src/(config|database)/)',
        pathNot: '^src/(database/(quote-identifier|graph-tables)|config/license-settings)\\.ts$',
      },
    },
    {
      name: 'parsers-run-anywhere',
      severity: 'error',
      comment: 'The formula, mapping and Cypher parsers use no Node module, so that a browser can run the same code.',
      from: {
        path: ['^src/text/', '^src/metrics/formula/', '^src/ingestion/mapping/', '^src/retrieval/cypher/'],
        pathNot: '\\.spec\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'orm-in-repositories-only',
      severity: 'error',
      comment: 'TypeORM appears in repositories, entities, modules and database/ only; services speak the domain.',
      from: { path: '^src/', pathNot: '(\\.(repository|entity|module|spec)\\.ts$|^src/database/)' },
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
