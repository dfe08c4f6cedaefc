// Writes docs/settings.md and .env.example from src/config/settings.ts. With --check it writes nothing and fails if one of them differs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeSettings } from '../dist/src/config/settings.js';

const root = path.dirname(import.meta.dirname);
const settings = describeSettings();

const table = ['| name | type | default | meaning |', '| --- | --- | --- | --- |']
  .concat(
    settings.map(
      ({ name, type, default: value, meaning }) =>
        `| \`${name}\` | ${type.replaceAll('|', '\\|')} | ${value === '' ? '–' : `\`${value}\``} | ${meaning} |`,
    ),
  )
  .join('\n');
const example = settings
  .map(({ name, type, default: value, meaning, secret }) => `# ${meaning} (${type})\n# ${name}=${secret ? '' : value}\n`)
  .join('\n');

const files = {
  'docs/settings.md': `# Settings\n\nAll optional, from the environment or from \`.env\` in the working directory. This page is written from \`src/config/settings.ts\` by \`npm run docs:settings\`.\n\n${table}\n`,
  '.env.example': `# Copy to .env and change what should differ.\n\n${example}`,
};

for (const [name, wanted] of Object.entries(files)) {
  const file = path.join(root, name);
  let current = '';
  try {
    current = readFileSync(file, 'utf8');
  } catch {
    // The file does not exist yet.
  }
  if (wanted === current) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} differs from src/config/settings.ts: run npm run docs:settings`);
    process.exitCode = 1;
  } else writeFileSync(file, wanted);
}
