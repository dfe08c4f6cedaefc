import { shownCount, showingCount } from './shown-count.js';

it('shows the number of rows every thousand rows, and gives each row its value', () => {
  expect(showingCount('$2::int', 'nodes')).toBe(
    "CASE WHEN row_number() OVER () % 1000 <> 0 THEN $2::int WHEN pg_temp.show_count('nodes', row_number() OVER ()) THEN $2::int END",
  );
});

it.each<[string, number | null]>([
  ['graph-service nodes 12000', 12_000],
  ['graph-service nodes_2 12000', null],
  ['graph-service records', null],
  ['', null],
])('reads the count of its own statement only: %s', (name, count) => {
  expect(shownCount(name, 'nodes')).toBe(count);
});
