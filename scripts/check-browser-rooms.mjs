// Checks that a browser can run the parsers. TypeScript compiles their rooms with only js-yaml, lru-cache and the globals of a browser, so
// that a Node module or global, a framework, a driver or an HTTP status is an error. Files that must fail are compiled too, and the check
// fails if one of them passes.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const known = [
  'src/text/',
  'src/cypher/syntax/',
  'src/metrics/formula/',
  'src/ingestion/mapping/',
  'node_modules/js-yaml/',
  'node_modules/lru-cache/',
];
const isKnown = file => known.some(folder => path.relative(root, file).startsWith(folder));

const mustFail = new Map(
  [
    "import 'node:fs';",
    "import '@nestjs/common';",
    "import 'pg';",
    "export { ApiError } from '../common/errors/api-error.js';",
    "export const settings = () => import('../config/settings.js');",
    "export const bytes = Buffer.from('');",
    'export const { env } = process;',
  ].map((text, index) => [path.join(root, `src/text/must-fail-${index}.ts`), text]),
);

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
Object.assign(config.compilerOptions, { types: [], noEmit: true, incremental: false, noUncheckedSideEffectImports: true });
config.compilerOptions.lib.push('DOM');
delete config.compilerOptions.tsBuildInfoFile;
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);

const host = ts.createCompilerHost(options);
const { readFile, fileExists } = host;
host.readFile = file => mustFail.get(file) ?? readFile(file);
host.fileExists = file => mustFail.has(file) || fileExists(file);
host.resolveModuleNameLiterals = (literals, from, redirected, _, file) =>
  literals.map(literal => {
    const mode = ts.getModeForUsageLocation(file, literal, options);
    const found = ts.resolveModuleName(literal.text, from, options, host, undefined, redirected, mode);
    return found.resolvedModule && isKnown(found.resolvedModule.resolvedFileName) ? found : { resolvedModule: undefined };
  });

const files = fileNames.filter(file => isKnown(file) && !file.endsWith('spec.ts'));
const program = ts.createProgram([...files, ...mustFail.keys()], options, host);
const faults = ts.getPreEmitDiagnostics(program);
const unexpected = faults.filter(({ file }) => !mustFail.has(file?.fileName));
const missed = [...mustFail].filter(([name]) => !faults.some(({ file }) => file?.fileName === name));
process.stderr.write(ts.formatDiagnostics(unexpected, { ...host, getCurrentDirectory: () => root }));
for (const [, text] of missed) process.stderr.write(`The check would let this pass: ${text}\n`);
if (unexpected.length + missed.length > 0) process.exit(1);
process.stdout.write(`✔ a browser can run these ${files.length} files\n`);
