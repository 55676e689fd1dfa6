// SPDX-License-Identifier: MIT
// C++ names for narrow places, as stint's tables have them (print/abbreviate.c): what least tells a
// function from its neighbours goes first, the types of its parameters, then template arguments, the
// result's type, and scopes. A name whose brackets do not match stays whole.

const CLOSING = {'(': ')', '<': '>', '{': '}', '[': ']'}, NAMELESS = '(anonymous namespace)';
const OPERATOR = /(?<![\w$])operator(\(\)|\[\]|[<>=-]+)/y;

// Characters of "operator<<", "operator()" …, which holds no brackets.
function operatorAt(name, at) {
  OPERATOR.lastIndex = at;
  return name[at] === 'o' && OPERATOR.test(name) ? OPERATOR.lastIndex - at : 0;
}

// Where the bracket at `open` is closed; -1 = nowhere.
function closing(name, open) {
  const stack = [];
  for (let at = open; at < name.length; at++) {
    const sign = operatorAt(name, at), c = name[at];
    if (sign) at += sign - 1;
    else if (CLOSING[c]) stack.push(CLOSING[c]);
    else if (c === '>') {
      if (name[at - 1] !== '-' && stack.at(-1) === '>') stack.pop();
    } else if (')}]'.includes(c)) {
      while (stack.length && stack.at(-1) === '>') stack.pop();
      if (stack.pop() === undefined) return -1;
    }
    if (!stack.length) return at;
  }
  return -1;
}

// The name as pieces: groups in outermost brackets, and single characters. null = no match.
function* piecesOf(name) {
  for (let at = 0; at < name.length;) {
    const sign = operatorAt(name, at), c = name[at];
    let end = at + (sign || 1);
    if (!sign && name.startsWith(NAMELESS, at)) end = at + NAMELESS.length;
    else if (!sign && (c === '(' || c === '<')) end = closing(name, at) + 1;
    if (end === 0) return yield null;
    const isParameters = !sign && c === '(' && end - at !== NAMELESS.length && at > 0 && name[at - 1] !== ' ';
    yield {text: name.slice(at, end), at, isParameters, isTemplate: !sign && c === '<' && at > 0};
    at = end;
  }
}

// As little left out as need be for `most` characters; the function's own name stays.
export function shorter(name, most) {
  if (name.length <= most) return name;
  const pieces = [...piecesOf(name)];
  if (pieces.includes(null)) return name;
  const without = (isOut, from = 0) => pieces.slice(from)
    .map((p) => (isOut(p) && p.text.length > 3 ? `${p.text[0]}…${p.text.at(-1)}` : p.text)).join('');
  const bare = without((p) => p.isParameters);
  if (bare.length <= most) return bare;
  const end = pieces.findIndex((p) => p.isParameters);
  const isOut = (p) => p.isParameters || p.isTemplate;
  if (end < 0 || / (to|for) /.test(name)) return without(isOut);
  const isWord = (p) => p.text.length > 8 && p.text.startsWith('operator');
  const conversion = pieces.findIndex((p, i) => i < end && name.startsWith('operator ', p.at));
  const stop = [end, conversion, pieces.findIndex(isWord)].filter((at) => at >= 0)
    .reduce((a, b) => Math.min(a, b));
  const own = pieces.findLastIndex((p, i) => i < stop && p.text === ' ') + 1, starts = [0, own];
  for (let i = own; i < stop; i++) if (name.startsWith('::', pieces[i].at)) starts.push(i + 2);
  const forms = starts.map((from) => without(isOut, from));
  return forms.find((text) => text.length <= most) ?? forms.at(-1);
}
