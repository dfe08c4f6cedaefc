import { exampleMapping } from '../../ingestion/mapping-example.js';
import { type MappingKey, type MappingWord } from '../../ingestion/mapping/mapping-key.js';
import { mappingGroups, type MappingGroup } from '../../ingestion/mapping/mapping-reference.js';
import { kinds, maxText, maxTexts } from '../../ingestion/mapping/yaml-reader.js';
import { type Bilingual, inBoth } from '../../text/bilingual.js';
import { type ReferencePage } from './render-reference.js';

const kindNames: Record<MappingKey['takes'], Bilingual> = {
  ...kinds,
  texts: { zh: '文本的列表', en: 'a list of texts' },
  duration: { zh: '时长，如 500ms、30s、5m、2h、7d', en: 'a duration, such as 500ms, 30s, 5m, 2h or 7d' },
};

/** The reference page of the mapping language, made from the table that the parser reads. */
export const mappingPage: ReferencePage = {
  path: '/docs/mapping',
  title: { zh: '映射', en: 'Mapping' },
  intro: [
    {
      zh: '映射（YAML，最多 256 KiB、15,000 行、60,000 个值）说明表怎样成为图的节点与关系。POST /api/ingestion/mappings/validate 检查映射而不创建任务。',
      en: 'A mapping (YAML, at most 256 KiB, 15,000 lines and 60,000 values) says how tables become the nodes and edges of a graph. POST /api/ingestion/mappings/validate checks one without creating a job.',
    },
    {
      zh: '编辑器可按 JSON Schema 补全与检查映射：首行写 # yaml-language-server: $schema=<本服务的地址>/docs/mapping.schema.json',
      en: 'Editors complete and check a mapping by its JSON Schema: begin it with # yaml-language-server: $schema=<address of this service>/docs/mapping.schema.json',
    },
    {
      zh: 'POST /api/ingestion/mappings/suggest 由连接的表起草映射；核对后交给 validate，再以 POST /api/ingestion/jobs 创建任务。',
      en: 'POST /api/ingestion/mappings/suggest drafts a mapping from the tables of a connection; read it, check it with validate, and make a job of it with POST /api/ingestion/jobs.',
    },
    {
      zh: '每个示例都可打开为一份完整的映射。未知的键会被拒绝。',
      en: 'Each example opens into a whole mapping. Unknown keys are refused.',
    },
  ],
  sections: [
    ...Object.entries(mappingGroups).map(([name, group]) => sectionOf(name, group)),
    {
      anchor: 'example',
      title: { zh: '一份完整的映射', en: 'A whole mapping' },
      entries: [
        {
          anchor: 'example-sales',
          name: 'mapping_yaml',
          facts: [],
          meaning: {
            zh: 'Swagger UI 中上传接口的六张示例表的映射',
            en: 'The mapping of the six tables in the examples of the upload route in Swagger UI',
          },
          example: exampleMapping,
        },
      ],
    },
  ],
};

function sectionOf(name: string, { title, entries, inMapping }: MappingGroup): ReferencePage['sections'][number] {
  return {
    anchor: name,
    title,
    intro: [],
    entries: Object.entries(entries).map(([key, entry]) => ({
      anchor: `${name}-${key}`,
      name: key,
      facts: factsOf(entry),
      meaning: entry.meaning,
      example: entry.example,
      whole: inMapping(entry.example, key),
    })),
  };
}

function factsOf({ takes, max = maxText, values, required, default: usual }: MappingWord & Partial<MappingKey>): Bilingual[] {
  if (takes === undefined) return [];
  const facts = [values ? { zh: `取值 ${values.join('、')}`, en: `one of ${values.join(', ')}` } : kindNames[takes]];
  if ((takes === 'text' || takes === 'texts') && !values) facts.push({ zh: `1 到 ${max} 个字符`, en: `1 to ${max} characters` });
  if (takes === 'texts') facts.push({ zh: `最多 ${maxTexts} 项`, en: `at most ${maxTexts} of them` });
  if (required === true) facts.push({ zh: '必填', en: 'required' });
  else if (required) facts.push({ zh: `必填：${required.zh}`, en: `required: ${required.en}` });
  else facts.push({ zh: '可选', en: 'optional' });
  if (usual !== undefined) {
    const { zh, en } = inBoth(typeof usual === 'object' ? usual : String(usual));
    facts.push({ zh: `缺省：${zh}`, en: `default: ${en}` });
  }
  return facts;
}
