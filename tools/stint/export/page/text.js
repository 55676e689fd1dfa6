// SPDX-License-Identifier: MIT
// Numbers and nodes for the eye. Times are nanoseconds everywhere in the page.

export function time(ns) {
  if (ns === null || ns === undefined) return '';
  if (ns < 999.5) return `${Math.round(ns)} ns`;
  let value = ns;
  for (const unit of ['µs', 'ms', 's']) {
    value /= 1000;
    if (value < 999.5 || unit === 's') return `${three(value)} ${unit}`;
  }
  return '';
}

function three(value) {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

export function count(n) {
  return n === null || n === undefined ? '' : n.toLocaleString('en').replaceAll(',', '\u202f');
}

// As the report's tables have it: 31.3 M; of bytes 2.94 Ki.
export function amount(x, unit) {
  if (x === undefined || x === null) return '';
  const isBytes = unit === 'bytes' || unit === 'B', step = isBytes ? 1024 : 1000;
  if (x !== 0 && Math.abs(x) < 0.01) return x.toExponential(2);
  const names = isBytes ? ['', ' Ki', ' Mi', ' Gi', ' Ti'] : ['', ' k', ' M', ' G', ' T'];
  let value = Math.abs(x), at = 0;
  while (value >= step - 0.5 && at < names.length - 1) { value /= step; at++; }
  const digits = at === 0 && Number.isInteger(x) ? String(value) : three(value);
  return `${x < 0 ? '-' : ''}${digits}${names[at]}`;
}

export function percent(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : '';
}

export function fromMs(ms) {
  return ms === undefined || ms === null ? null : ms * 1e6;
}

export function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// rows: arrays of texts, the first one left aligned; go(index) is called at a click on a row.
export function plainTable(place, titles, rows, go) {
  const table = element('table', undefined, {class: 'plain'});
  const head = table.appendChild(element('thead')).appendChild(element('tr'));
  for (const title of titles) head.append(element('th', title));
  const body = table.appendChild(element('tbody'));
  rows.forEach((row, index) => {
    const line = body.appendChild(element('tr'));
    for (const cell of row) line.append(element('td', cell));
    if (!go) return;
    line.dataset.go = index;
    line.addEventListener('click', () => go(index, line));
  });
  place.replaceChildren(table);
}

export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
