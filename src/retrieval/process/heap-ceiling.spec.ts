import { type Heap, HeapCeiling } from './heap-ceiling.js';

/** A heap of `limitBytes` bytes, by default 100. */
class FakeHeap implements Heap {
  watches = 0;
  private left: number | null = null;

  constructor(readonly limitBytes = 100) {}

  watch(): ReturnType<Heap['watch']> {
    this.watches += 1;
    return {
      usedAfterLast: () => {
        const { left } = this;
        this.left = null;
        return left;
      },
      end: () => (this.watches -= 1),
    };
  }

  /** Simulates a full garbage collection that leaves `left` bytes in use. */
  collect(left: number): void {
    this.left = left;
  }
}

describe('HeapCeiling', () => {
  const small = { heldBytes: 10 };
  const large = { heldBytes: 20 };
  let heap: FakeHeap;
  let check: () => string[];
  let end: (name: 'small' | 'large') => void;

  beforeEach(() => {
    Object.assign(small, { heldBytes: 10 });
    Object.assign(large, { heldBytes: 20 });
    heap = new FakeHeap();
    let time = 0;
    const ceiling = new HeapCeiling(heap, () => (time += 1_000));
    const queries = { small: ceiling.begin(small), large: ceiling.begin(large) };
    const codeOf = (name: 'small' | 'large'): string => {
      try {
        queries[name].check();
        return 'goes on';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    check = () => [codeOf('small'), codeOf('large')];
    end = name => queries[name].end();
  });

  it('ends a query of a heap of gigabytes that holds a quarter of what one query may', () => {
    const large = new FakeHeap(2 ** 31);
    let time = 0;
    const ceiling = new HeapCeiling(large, () => (time += 1_000));
    const [some, most] = [2 ** 20, 2 ** 24].map(heldBytes => ceiling.begin({ heldBytes }));
    some!.check();
    large.collect(2 ** 31);
    some!.check();
    expect(() => most!.check()).toThrow(expect.objectContaining({ code: 'query_too_much_work' }));
  });

  it('ends the query that holds the most, and no other, when a collection leaves too much in use', () => {
    expect(check()).toEqual(['goes on', 'goes on']);
    heap.collect(90);
    expect(check()).toEqual(['goes on', 'query_too_much_work']);
    end('large');
    heap.collect(60);
    expect(check()[0]).toBe('goes on');
  });

  it('adds what the queries have counted since the last collection', () => {
    heap.collect(60);
    expect(check()).toEqual(['goes on', 'goes on']);
    large.heldBytes += 20;
    expect(check()).toEqual(['goes on', 'goes on']);
    small.heldBytes += 10;
    expect(check()).toEqual(['goes on', 'query_too_much_work']);
  });

  it('ends the next one only once the first has let go and that was not enough', () => {
    heap.collect(95);
    expect(check()).toEqual(['goes on', 'query_too_much_work']);
    heap.collect(95);
    expect(check()[0]).toBe('goes on');
    end('large');
    // The memory of the ended query is garbage until the next collection, so no further query is ended before it.
    expect(check()[0]).toBe('goes on');
    heap.collect(95);
    expect(check()[0]).toBe('query_too_much_work');
  });

  it('ends no query that holds next to nothing', () => {
    Object.assign(small, { heldBytes: 1 });
    Object.assign(large, { heldBytes: 2 });
    heap.collect(99);
    expect(check()).toEqual(['goes on', 'goes on']);
  });

  it('watches collections only while queries run', () => {
    expect(heap.watches).toBe(0);
    check();
    expect(heap.watches).toBe(1);
    end('small');
    end('large');
    expect(heap.watches).toBe(0);
  });
});
