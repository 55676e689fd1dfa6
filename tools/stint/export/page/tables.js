// SPDX-License-Identifier: MIT
// The tables of functions and threads: Tabulator draws only the rows that are in sight.
import {FilterModule, FormatModule, InteractionModule, ResizeColumnsModule, SortModule, Tabulator}
  from 'tabulator-tables';
import {count, time} from './text.js';

Tabulator.registerModule([FilterModule, FormatModule, InteractionModule, ResizeColumnsModule, SortModule]);

const inTime = (cell) => time(cell.getValue());
const inCalls = (cell) => count(cell.getValue());
const number = (title, field, formatter, width = 92) => ({title, field, formatter, hozAlign: 'right',
  headerHozAlign: 'right', headerSortStartingDir: 'desc', sorter: 'number', width});
const text = (title, field, more = {}) =>
  ({title, field, headerSortStartingDir: 'asc', formatter: 'plaintext', ...more});

function moduleName(cell) {
  return cell.getData().isCategory ? '(category)' : (cell.getValue() ?? '').split('/').pop();
}

export function functionTable(data, onChoose) {
  for (const row of data.functions) row.searched = `${row.name} ${row.module ?? ''}`.toLowerCase();
  const table = new Tabulator('#functions', {
    data: data.functions, height: 420, layout: 'fitColumns', index: 'id',
    initialSort: [{column: 'self', dir: 'desc'}],
    columns: [
      text('Function', 'name', {minWidth: 220, widthGrow: 3}),
      number('Total', 'total', inTime), number('Self', 'self', inTime),
      number('Calls', 'count', inCalls), number('Avg', 'avg', inTime),
      number('P50', 'p50', inTime), number('P99', 'p99', inTime), number('Max', 'max', inTime),
      text('Module', 'module', {formatter: (cell) => escapeText(moduleName(cell)), width: 130}),
    ],
  });
  table.on('rowClick', (event, row) => onChoose(row.getData().id));
  const filter = document.getElementById('filter');
  filter.addEventListener('input', () => {
    const term = filter.value.trim().toLowerCase();
    if (!term) table.clearFilter();
    else table.setFilter((row) => row.searched.includes(term));
  });
  const tell = (shown) => {
    document.getElementById('shown').textContent = `${count(shown)} of ${count(data.functions.length)}`;
  };
  table.on('dataFiltered', (filters, rows) => tell(rows.length));
  tell(data.functions.length);
  return table;
}

// What a formatter of ours returns is taken for HTML.
function escapeText(raw) {
  return raw.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

export function threadTable(data) {
  return new Tabulator('#threads', {
    data: data.threads, maxHeight: 300, layout: 'fitColumns', index: 'id',
    columns: [
      number('Id', 'id', 'plaintext', 60), number('Tid', 'tid', 'plaintext', 90),
      text('Name', 'name', {minWidth: 120}), text('Start routine', 'start_routine', {minWidth: 160}),
      text('State', 'isRunning',
        {width: 90, formatter: (cell) => (cell.getValue() ? 'running' : 'exited')}),
      number('Started', 'started', inTime, 100),
      number('Lifetime', 'lifetime', inTime, 100), number('CPU', 'cpu', inTime),
      number('Calls', 'calls', inCalls, 110), number('Threads', 'generations', inCalls, 100),
    ],
  });
}
