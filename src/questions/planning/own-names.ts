import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type MeaningOf, type Mention, meaningOf } from '../linking/meaning.js';

const nameWords = /^(?:名称|名字|名|全称|全名|叫法|names?)$/;

/**
 * Reads a word for a name beside a named thing as the display property of the thing: 蓝海贸易的名称 does not ask for the name of the region of
 * 蓝海贸易, though only regions have a property of this name.
 */
export function withOwnNames(linked: LinkedQuestion, schema: GraphSchema): LinkedQuestion {
  const mentions = linked.mentions.map(mention => {
    const owners = mention.meanings.filter(meaning => meaning.as === 'property');
    if (owners.length === 0 || owners.length < mention.meanings.length || !nameWords.test(mention.text)) return mention;
    // 名称为键盘 states a name to look for, so the word keeps its meaning.
    if (/^\s*(?:[为=]|等于|是(?!什么|啥|谁|哪|多少|\s*[?？]|$))/.test(linked.text.slice(mention.end))) return mention;
    const labels = new Set(nodesBeside(linked, mention).map(({ label }) => label));
    if (labels.size === 0 || owners.some(({ owner, ownerName }) => owner === 'node' && labels.has(ownerName))) return mention;
    const own = [...labels].flatMap(label => displayOf(schema, label) ?? []);
    return own.length > 0 ? { ...mention, meanings: own } : mention;
  });
  return { ...linked, mentions };
}

/** The nodes to whose name a word such as 名称 belongs: `X的名称`, `X's name`, `the name of X`. */
function nodesBeside({ text, mentions }: LinkedQuestion, word: Mention): MeaningOf<'entity'>['nodes'] {
  const isOwner = ({ start, end }: Mention): boolean =>
    (end <= word.start && /^["'”’」》]?(?:的|['’]s? )?$/.test(text.slice(end, word.start))) ||
    (start >= word.end && /^ of (?:the )?["“‘]?$/.test(text.slice(word.end, start)));
  return mentions.filter(isOwner).flatMap(mention => meaningOf(mention, 'entity')?.nodes ?? []);
}

function displayOf({ labels }: GraphSchema, name: string): MeaningOf<'property'> | null {
  const label = labels.find(each => each.name === name);
  const shown = label?.displayProperty ?? (label?.keyProperties.length === 1 ? label.keyProperties[0] : undefined);
  const property = label?.properties.find(each => each.name === shown);
  return property ? { as: 'property', owner: 'node', ownerName: name, property: property.name, type: property.type } : null;
}
