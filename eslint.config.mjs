import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** An import of types alone is spelt as one of types and values: `import { type A, b } from`. */
const typesWithValues = {
  selector: "ImportDeclaration[importKind='type']:has(ImportSpecifier)",
  message: 'Write import { type X } from, not import type { X } from.',
};

/** The ways for a handler to write its answer itself. Only `await response.json()` of a client has no arguments. */
const answersByHand = [
  "Decorator > CallExpression[callee.name='Res']:not(:has(Property[key.name='passthrough'][value.value=true]))",
  "CallExpression[arguments.length>0][callee.property.name='json']:has(> MemberExpression Identifier[name=/^res(ponse)?$/])",
  'CallExpression[callee.property.name=/^(send|sendFile|write|writeHead|end|flushHeaders)$/]:has(> MemberExpression Identifier[name=/^res(ponse)?$/])',
  "CallExpression[callee.name='pipeline'] > Identifier[name=/^res(ponse)?$/]",
  "CallExpression[callee.property.name='pipe'] > Identifier[name=/^res(ponse)?$/]",
].map(selector => ({
  selector,
  message:
    'A handler returns its answer, an AnswerInPieces or a StreamedAnswer if need be: only LargeAnswers knows how much its caller leaves unread, and cuts a reader who stalls.',
}));

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'data/', 'coverage/', 'test/openapi-tools/'] },
  { files: ['**/*.ts'], extends: [tseslint.configs.recommendedTypeChecked], languageOptions: { parserOptions: { projectService: true } } },
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      'no-restricted-syntax': ['error', typesWithValues],
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': [
        'error',
        {
          name: 'class-validator',
          importNames: ['Length', 'MaxLength'],
          message: 'length.decorator.ts has those that count as the OpenAPI document does.',
        },
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'The environment is read in src/config/ only, so that every setting is described once.',
        },
        {
          property: 'normalize',
          message: 'Use inNormalForm, whose time grows with the length; normalize() takes the square of the marks of a letter.',
        },
      ],
    },
  },
  {
    // Texts of users are long: an expression that goes through one again from each of its characters takes the square of its length.
    // Questions have at most 4,000 characters.
    files: ['src/**/*.ts'],
    ignores: ['src/questions/**', '**/*spec.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // Constants of a module are spelt like all other variables. PascalCase is for decorators. The CSV scanner names bytes and kinds in capitals.
    files: ['**/*.ts'],
    ignores: ['src/warehouse/files/**', 'src/warehouse/mirror/{csv,ndjson}/**'],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'variable', modifiers: ['const', 'global'], format: ['camelCase', 'StrictPascalCase'] },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: [
      '**/*spec.ts',
      'src/sql-guard/**',
      'src/metrics/plan/{bound-sql,guard-formula}.ts',
      'src/ingestion/staging/guard-target.ts',
      'src/queries/compile-cited-rows.ts',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: 'sql-guard/guard-expression.js$',
              importNames: ['guardExpression'],
              message:
                'SQL of users is judged where it is read: bound-sql.ts, guard-formula.ts, guard-target.ts. Take a Guard or a GuardedExpression.',
            },
          ],
        },
      ],
    },
  },
  {
    // The server's own room, and answers that no user chooses: other processes of the service, and documents that are made at the start.
    files: ['src/**/*.ts'],
    ignores: [
      '**/*spec.ts',
      'src/http/server/**',
      'src/retrieval/process/**',
      'src/openapi/**',
      'src/telemetry/metrics-endpoint.service.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', typesWithValues, ...answersByHand] },
  },
  {
    files: ['src/config/**', 'src/text/normal-form.ts', 'test/**', '**/*spec.ts', 'ormconfig.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Tests read JSON bodies and run SQL whose rows have no declared type.
    files: ['test/**/*.ts', '**/*spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      'max-lines': 'off',
    },
  },
);
