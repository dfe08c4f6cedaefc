import { type Mention } from './meaning.js';

/** Matches the words for an order that may also name a part of the graph: the label `Order`, the relation `ordered`, the property `rank`. */
const words = /\bin order of\b|\b(?:order|rank)(?:ed)?\b|排名(?=[\s?？。]*$)/g;
const begins = /(?:^\s*(?:please )?|[,，]\s*)$/;

/**
 * Finds `order` where it asks for an order by a property: `order the products by price`, `ordered by freight`, `in order of price`, `in
 * descending price order`. In `order 10248` and `products ordered by Alfreds` it names a part of the graph.
 */
export function findOrders(text: string, found: readonly Mention[]): Mention[] {
  const isProperty = ({ meanings }: Mention): boolean => meanings.some(({ as }) => as === 'property');
  const properties = found.filter(isProperty);
  const labels = found.filter(({ meanings }) => meanings.some(({ as }) => as === 'label'));
  const isAt = (all: readonly Mention[], at: number): boolean => all.some(({ start }) => start === at);
  const leadsTo = (all: readonly Mention[], from: number, by: RegExp): boolean =>
    isAt(all, from + (by.exec(text.slice(from))?.[0].length ?? NaN));
  const isOrder = (own: string, start: number, end: number): boolean => {
    if (own === 'in order of') return leadsTo(properties, end, /^ (?:the )?/);
    if (own === '排名') return properties.some(({ end: key }) => key === start);
    if (own === 'ordered' || own === 'ranked') return leadsTo(properties, end, /^ by (?:the |their )?/);
    const isVerb = begins.test(text.slice(0, start)) && leadsTo(labels, end, /^ (?:(?:all|the|these) )*/);
    if (isVerb) return leadsTo(properties, end, /^.*?\bby (?:the |their )?/);
    return own === 'order' && properties.some(key => key.end === start - 1 && beforeKey.test(text.slice(0, key.start)));
  };
  return [...text.matchAll(words)].flatMap(({ 0: own, index }): Mention[] => {
    const end = index + own.length;
    const meanings = [{ as: 'intent' as const, intent: { kind: 'order' as const, descending: null } }];
    return isOrder(own, index, end) ? [{ text: own, start: index, end, meanings }] : [];
  });
}

const beforeKey = /\bin (?:the )?(?:(?:de|a)scending |(?:de|in)creasing )?$/;

/** Leaves out the parts of the graph that an order hides: the label `Order` in `order the products by price`. */
export function withoutOrders(found: readonly Mention[], orders: readonly Mention[]): Mention[] {
  const isHidden = ({ text, start }: Mention): boolean =>
    /^(?:(?:order|rank)(?:ed)?(?: by)?|排名)$/.test(text) && orders.some(order => order.start <= start && start < order.end);
  return found.filter(mention => !isHidden(mention));
}
