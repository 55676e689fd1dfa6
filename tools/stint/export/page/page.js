// SPDX-License-Identifier: MIT
// The page: one report, offline. A function chosen anywhere (flame graph, table, frames) is shown
// below with its histogram, callers and callees.
import 'tabulator-tables/dist/css/tabulator_simple.css';
import 'uplot/dist/uPlot.min.css';
import './page.css';
import {drawHistogram} from './charts.js';
import {drawFlame} from './flame.js';
import {showFrames} from './frames.js';
import {load, nameOf, neighbours} from './model.js';
import {functionTable, threadTable} from './tables.js';
import {amount, count, fromMs, plainTable, time} from './text.js';

const data = load();
let chosen = data.functions.reduce((best, f) => (f.self > (best?.self ?? -1) ? f : best), null);

function put(id, text) {
  document.getElementById(id).textContent = text;
}

function showHead() {
  const p = data.process;
  document.title = `${data.program} · stint`;
  put('title', data.program);
  const ending = p.ending.kind === 'signal' ? p.ending.signal
    : p.ending.kind === 'exit' ? `exit ${p.ending.status}` : p.ending.kind;
  put('summary', `${time(fromMs(p.duration_ms))}, ${count(data.threads.length)} threads, ` +
    `${count(data.overhead.calls)} calls, ${ending}, ${p.host}, ${p.started_at}`);
  const lost = Object.entries(data.lost).filter(([, n]) => n > 0).map(([k, n]) => `${k} ${count(n)}`);
  put('footer', `stint ${data.stint}. A call costs about ${data.overhead.per_call_ns.toFixed(1)} ns here ` +
    `(measured), together about ${time(fromMs(data.overhead.total_ms))} (an estimate). ` +
    `${lost.length ? `Not recorded: ${lost.join(', ')}.` : 'Nothing was lost.'}`);
}

function showFunction() {
  document.getElementById('function-section').hidden = !chosen;
  if (!chosen) return;
  put('function-name', chosen.name);
  put('function-facts', `${count(chosen.count)} calls, total ${time(chosen.total)}, ` +
    `itself ${time(chosen.self)}, average ${time(chosen.avg)}, P50 ${time(chosen.p50)}, ` +
    `P90 ${time(chosen.p90)}, P99 ${time(chosen.p99)}, P99.9 ${time(chosen.p999)}, ` +
    `longest ${time(chosen.max)}`);
  drawHistogram(chosen);
  showNeighbours('callers', true);
  showNeighbours('callees', false);
}

function showNeighbours(id, isCallers) {
  const list = neighbours(data, chosen.id, isCallers).slice(0, 50);
  const name = (n) => (n.fn === null && isCallers ? '(the thread)' : nameOf(data, n.fn));
  if (!list.length) {
    put(id, 'None that was recorded.');
    return;
  }
  plainTable(document.getElementById(id), ['function', 'calls', 'time'],
    list.map((n) => [name(n), count(n.count), time(n.total)]),
    (i) => { if (list[i].fn !== null) choose(list[i].fn); });
}

function choose(id) {
  if (id === null || id < 0) return;
  chosen = data.functions[id];
  showFunction();
}

function showOthers() {
  const counters = Object.entries(data.counters ?? {}).map(([name, c]) =>
    [name, count(c.Count), count(c.Sum), '', '', '', '']);
  const values = Object.entries(data.values ?? {}).map(([name, v]) => [v.unit ? `${name} (${v.unit})` : name,
    count(v.Count), ...[v.Sum, v.Avg, v.P50, v.P99, v.Max].map((x) => amount(x, v.unit))]);
  if (!counters.length && !values.length) return;
  document.getElementById('others-section').hidden = false;
  plainTable(document.getElementById('others'), ['name', 'records', 'sum', 'average', 'P50', 'P99', 'max'],
    [...counters, ...values]);
}

function wireTheme(redraw) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const set = (isDark) => {
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
    redraw();
  };
  dark.addEventListener('change', () => set(dark.matches));
  document.getElementById('theme').addEventListener('click', () =>
    set(document.documentElement.dataset.theme !== 'dark'));
  set(dark.matches);
}

showHead();
drawFlame(data, choose);
functionTable(data, choose);
threadTable(data);
showOthers();
const drawKind = showFrames(data, choose);
wireTheme(() => { showFunction(); drawKind(); });
document.documentElement.dataset.ready = '1';
