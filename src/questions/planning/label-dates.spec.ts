import { type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { dateOfEvent, dateSaid } from './label-dates.js';
import { type SchemaWord } from './schema-word.js';

const order: LabelSchema = {
  name: 'Order',
  aliases: ['订单'],
  displayProperty: null,
  keyProperties: ['order id'],
  rowCount: 3,
  properties: ['order date', 'shipped date'].map(name => ({ name, type: 'date', column: name.replace(' ', '_') })),
};
const word = (text: string, labels: string[] = [], relations: string[] = []): SchemaWord => ({
  mention: { text, start: 0, end: text.length, meanings: [] },
  labels: new Set(labels),
  relations: new Set(relations),
  properties: [],
});

describe('the dates of a label', () => {
  it.each(['shipped', '发货'])('%s is an event that has a date', text => {
    expect(dateOfEvent(order, word(text).mention)?.name).toBe('shipped date');
  });

  it('takes the date of what is said to happen', () => {
    expect(dateSaid(order, [word('orders', ['Order']), word('shipped', [], ['SHIPPED'])])).toMatchObject({
      date: { name: 'shipped date' },
      isAssumed: false,
    });
  });

  it('assumes the date of the things themselves where no verb means another', () => {
    const orders = word('orders', ['Order']);
    expect(dateSaid(order, [orders, word('placed', [], ['PLACED'])])).toMatchObject({ date: { name: 'order date' }, isAssumed: true });
    expect(dateSaid(order, [orders, word('delivered', [], ['SHIPPED'])])).toBeNull();
  });
});
