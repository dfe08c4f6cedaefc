// Makes the queries of the recall table from names, and judges the hits of a search. It shares no code with the service's search.
import { Converter } from 'opencc-js/cn2t';

const toTraditional = Converter({ from: 'cn', to: 't' });
const top = 10;
const han = /^\p{Script=Han}$/u;
const letter = /^[a-z]$/i;
const tooMany = 50;

/**
 * For each kind of query: `of` makes the query from a name (null or false if the name does not suit), `judge` returns its recall from 0 to
 * 1.
 */
const makers = {
  exact: { of: name => name, judge: isNamed },
  'wrong character, 5 and more': { of: (name, random) => longerThan(name, 4) && wrong(name, random), judge: isNamed },
  'wrong character, 3 to 4': { of: (name, random) => isShort(name) && wrong(name, random), judge: isNamed },
  'missing character, 5 and more': { of: (name, random) => longerThan(name, 4) && missing(name, random), judge: isNamed },
  'missing character, 3 to 4': { of: (name, random) => isShort(name) && missing(name, random), judge: isNamed },
  traditional: { of: name => (toTraditional(name) === name ? null : toTraditional(name)), judge: isNamed },
  prefix: {
    of: (name, random) => {
      const least = han.test(name[0]) ? 2 : 3;
      return name.length > least ? name.slice(0, least + Math.floor(random() * (name.length - least))).trim() : null;
    },
    judge: (asked, _, found, names) => shareOf(found, names, name => name.startsWith(asked)),
  },
  'inner substring': {
    of: (name, random, names) => {
      const from = 1 + Math.floor(random() * (name.length - 3));
      const part = name.slice(from, from + 3);
      if (![...part].every(each => han.test(each) || letter.test(each)) || part.length < 3) return null;
      return names.filter(each => each.includes(part.toLowerCase())).length < tooMany ? part : null;
    },
    judge: (asked, _, found, names) => shareOf(found, names, name => name.includes(asked)),
  },
};

/**
 * @returns at most `count` queries of each kind: `{kind, asked, name, share(found)}`. `share` returns the recall from the names of the
 *   hits, best first
 */
export function recallQueries(names, random, count) {
  const lower = names.map(name => name.toLowerCase());
  const alphabet = [...new Set(names.flatMap(name => [...name].filter(each => han.test(each))))];
  const context = { random, alphabet };
  return Object.entries(makers).flatMap(([kind, { of, judge }]) => {
    const made = [];
    for (let tries = 0; made.length < count && tries < 40 * count; tries++) {
      const name = names[Math.floor(random() * names.length)];
      const asked = of(name, withAlphabet(context), lower);
      if (asked && asked !== '')
        made.push({
          kind,
          asked,
          name,
          share: found =>
            judge(
              asked.toLowerCase(),
              name,
              found.slice(0, top).map(each => each.toLowerCase()),
              lower,
            ),
        });
    }
    return made;
  });
}

/** Recall to expect by chance: ten names are drawn from all names at most one edit away from the query. Mean over the queries `asked`. */
export function chanceOf(names, asked) {
  const lower = [...new Set(names.map(name => name.toLowerCase()))];
  const chances = asked.map(text => Math.min(1, top / lower.filter(name => isOneEditAway(text.toLowerCase(), name)).length));
  return chances.reduce((sum, chance) => sum + chance, 0) / asked.length;
}

function isOneEditAway(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return a.slice(same + (a.length >= b.length ? 1 : 0)) === b.slice(same + (b.length >= a.length ? 1 : 0));
}

function withAlphabet({ random, alphabet }) {
  return Object.assign(() => random(), { alphabet });
}

function longerThan(name, length) {
  return name.length > length;
}

function isShort(name) {
  return name.length >= 3 && name.length <= 4;
}

/** Replaces one Han character by a Han character of another name, or one letter by another letter. Null if the name stays the same. */
function wrong(name, random) {
  const at = Math.floor(random() * name.length);
  const by = han.test(name[at])
    ? random.alphabet[Math.floor(random() * random.alphabet.length)]
    : letter.test(name[at])
      ? String.fromCharCode(97 + Math.floor(random() * 26))
      : null;
  if (by === null || by === name[at].toLowerCase()) return null;
  return name.slice(0, at) + by + name.slice(at + 1);
}

function missing(name, random) {
  const at = Math.floor(random() * name.length);
  if (!han.test(name[at]) && !letter.test(name[at])) return null;
  return name.slice(0, at) + name.slice(at + 1);
}

function isNamed(_, name, found) {
  return found.includes(name.toLowerCase()) ? 1 : 0;
}

/** The fitting hits as a share of ten, or as a share of all fitting names if there are fewer than ten. */
function shareOf(found, names, fits) {
  return found.filter(fits).length / Math.min(top, names.filter(fits).length);
}
