import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Relations that lead to their end, that lead from it, and that tell no direction. */
const { ask } = aWorld({
  labels: [
    namedLabel('Trip', ['行程'], []),
    namedLabel('City', ['城市'], []),
    namedLabel('Traveller', ['旅客'], []),
    namedLabel('Payment', ['付款'], [['amount', 'int', '金额']]),
    namedLabel('Agency', ['旅行社'], []),
    namedLabel('Invoice', ['发票'], []),
    namedLabel('Drug', ['药品'], []),
    namedLabel('Brochure', ['手册'], []),
  ],
  edges: [
    edge('visits', ['游览'], 'Trip', 'City'),
    edge('lives_in', ['居住'], 'Traveller', 'City'),
    edge('payee', ['收款方'], 'Payment', 'Agency'),
    edge('billed_to', ['开给'], 'Invoice', 'Agency'),
    edge('printed_by', ['印制'], 'Brochure', 'Agency'),
    edge('allergic_to', ['对过敏'], 'Traveller', 'Drug'),
  ],
  toOne: { outgoing: ['lives_in', 'payee', 'billed_to', 'printed_by'], incoming: [] },
  names: { City: ['Paris'], Agency: ['Stone Tours'], Traveller: ['Tom Reed'], Trip: [], Payment: [], Invoice: [], Drug: [], Brochure: [] },
}); // prettier-ignore

describe('the direction of a preposition', () => {
  it.each([
    'payments from Stone Tours',
    'total amount of payments from Stone Tours',
    'invoices from Stone Tours',
    'how many trips are from Paris',
    'trips from Paris',
    'drugs to Tom Reed',
    '来自Stone Tours的发票',
    '从Stone Tours来的付款',
    '来自Paris的行程',
  ])('%s: is refused if the relation leads the other way', async question => {
    expect(await ask(question)).toMatch(/^refused: No relation on the way tells what "(?:from|to|来自|从)" means before/);
  });

  it.each([
    ['payments to Stone Tours', 'payee'],
    ['invoices to Stone Tours', 'billed_to'],
    ['brochures from Stone Tours', 'printed_by'],
    ['travellers from Paris', 'lives_in'],
    ['来自Paris的旅客', 'lives_in'],
    ['来自Stone Tours的手册', 'printed_by'],
    ['到Paris的行程', 'visits'],
  ])('%s: follows %s', async (question, type) => {
    expect(await ask(question)).toContain(`:${type}]`);
  });
});

describe('two ends of one kind', () => {
  const bank = aWorld({
    labels: [namedLabel('Account', ['账户'], []), namedLabel('Transfer', ['转账'], []), namedLabel('Parcel', ['包裹'], []), namedLabel('Client', ['客户'], []), namedLabel('Depot', ['仓库'], [])],
    edges: [
      edge('debit_account', ['流出账户'], 'Transfer', 'Account'),
      edge('credit_account', ['流入账户'], 'Transfer', 'Account'),
      edge('sender', ['寄件人'], 'Parcel', 'Client'),
      edge('receiver', ['收件人'], 'Parcel', 'Client'),
      edge('ship_depot', ['发货仓库'], 'Parcel', 'Depot'),
      edge('receive_depot', ['收货仓库'], 'Parcel', 'Depot'),
    ],
    toOne: { outgoing: ['debit_account', 'credit_account', 'sender', 'receiver', 'ship_depot', 'receive_depot'], incoming: [] },
    names: { Account: ['Main', 'Savings'], Client: ['Ann Main', 'Bob Ray'], Depot: ['North Depot', 'South Depot'], Transfer: [], Parcel: [] },
  }); // prettier-ignore

  it.each([
    ['从Main到Savings的转账', 'debit_account', 'credit_account'],
    ['从Ann Main到Bob Ray的包裹', 'sender', 'receiver'],
    ['parcels from Ann Main to Bob Ray', 'sender', 'receiver'],
    ['从North Depot到South Depot的包裹', 'ship_depot', 'receive_depot'],
  ])('%s: %s and %s', async (question, first, second) => {
    expect(await bank.ask(question)).toMatch(new RegExp(`r1:${first}\\].*r2:${second}\\]`));
  });

  it('are asked back without a preposition', async () => {
    expect(await bank.ask('Ann Main的包裹')).toMatch(/^(?:asked|refused|choices)/);
  });
});

describe('a preposition behind limits', () => {
  const library = aWorld({
    labels: [namedLabel('Transfer', ['调拨'], [['copies', 'int', '册数']]), namedLabel('Branch', ['分馆'], []), namedLabel('Book', ['图书'], [['language', 'string', '语言'], ['pages', 'int', '页数']])],
    edges: [
      edge('sent_from', ['调出馆'], 'Transfer', 'Branch'),
      edge('sent_to', ['调入馆'], 'Transfer', 'Branch'),
      edge('transfer_of', ['调拨图书'], 'Transfer', 'Book'),
      edge('kept_at', ['存放于'], 'Book', 'Branch'),
    ],
    toOne: { outgoing: ['sent_from', 'sent_to', 'transfer_of', 'kept_at'], incoming: [] },
    names: { Branch: ['North Branch'], Book: [], Transfer: [] },
    values: { Book: { language: ['English'] } },
  }); // prettier-ignore

  it.each([
    ['transfers with copies over 5 from North Branch', 'sent_from'],
    ['transfers with more than 5 copies to North Branch', 'sent_to'],
    ['transfers sorted by copies from North Branch', 'sent_from'],
    ['transfers of English books to North Branch', 'sent_to'],
    ['transfer with the highest copies from North Branch', 'sent_from'],
  ])('%s: belongs to the noun before them', async (question, type) => {
    expect(await library.ask(question)).toContain(`:${type}]`);
  });

  it('is refused if two nouns may own it', async () => {
    expect(await library.ask('transfers of books over 300 pages from North Branch')).toMatch(/^refused: It is not clear to which word/);
  });
});
