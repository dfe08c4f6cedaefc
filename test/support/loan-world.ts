import { aWorld, edge, namedLabel } from './question-world.js';

/** Museums that lend artifacts to one another. The weight tells its unit, the value of an artifact and the floor area do not. */
export const loans = aWorld({
  labels: [
    namedLabel('Museum', ['博物馆'], [['city', 'string', '城市'], ['floor area', 'decimal(12,1)', '面积'], ['is public', 'boolean', 'public', '公立']]),
    namedLabel('Artifact', ['文物'], [['category', 'string', '类别'], ['weight_kg', 'decimal(8,2)', 'weight', '重量'], ['value', 'int', '估价'], ['insured_meur', 'int', '保额']]),
    namedLabel('Loan', ['借展'], [['start_date', 'date', '开始日期'], ['end_date', 'date', '结束日期'], ['fee', 'int', '费用']]),
    namedLabel('Paper', ['论文'], [['pages', 'int', '页数'], ['published_on', 'date', '发表日期']]),
  ],
  edges: [
    edge('held_by', ['收藏于'], 'Artifact', 'Museum'),
    edge('loan_of', ['借出文物'], 'Loan', 'Artifact'),
    edge('loaned_from', ['借出馆'], 'Loan', 'Museum'),
    edge('loaned_to', ['借入馆'], 'Loan', 'Museum'),
  ],
  toOne: { outgoing: ['held_by', 'loan_of', 'loaned_from', 'loaned_to'], incoming: [] },
  names: { Museum: ['Harbor Museum'], Artifact: ['Jade Cup', 'Museum'] },
  values: { Museum: { city: ['Kyoto'] }, Artifact: { category: ['玉器'] } },
}); // prettier-ignore
