// SPDX-License-Identifier: MIT
// The flame graph: d3-flame-graph over the merged call tree. It is given what can be seen from where
// the view stands, not the whole tree: a zoom is a new, smaller tree. So trees of many thousand nodes
// stay quick, and endless recursion does no harm.
import flamegraph from 'd3-flame-graph';
import {select} from 'd3-selection';
import {nameOf} from './model.js';
import {shorter} from './names.js';
import {count, percent, time} from './text.js';

const CELL = 18, SLIMMEST = 3, SHARE = 1 / 4000, DEEPEST = 300, LETTER = 6.5;

// Widths are self times summed upwards: rounding in the report cannot make a child wider than its
// parent. A parent stands before its children, so one pass from the end is enough.
function setWidths(nodes) {
  for (const node of nodes) node.width = Math.max(0, node.self);
  for (let i = nodes.length - 1; i >= 0; i--)
    if (nodes[i].parent !== null) nodes[nodes[i].parent].width += nodes[i].width;
  for (const node of nodes) node.children.sort((a, b) => b.width - a.width);
}

// What has room in a frame; the frame's `node` knows the whole name.
function labelled(data, node, width) {
  return node ? shorter(nameOf(data, node.fn), width / LETTER) : data.program;
}

// Where the view can stand: a node, or null for the whole program. `width` is its frame's.
function visible(data, node, width, least, depth) {
  const below = node ? node.children : data.nodes.filter((n) => n.parent === null);
  const value = node ? node.width : below.reduce((sum, n) => sum + n.width, 0);
  const limit = least ?? value * SHARE;
  const children = depth < DEEPEST
    ? below.filter((n) => n.width > limit).map((n) => visible(data, n, width * n.width / value, limit, depth + 1)) : [];
  return {name: labelled(data, node, width), value, node, children};
}

// The callers of the view's root as a thin chain above it.
function withCallers(data, node, width, tree) {
  const chain = [];
  for (let at = node; at && chain.length < DEEPEST; at = at.parent === null ? null : data.nodes[at.parent])
    chain.push(at.parent === null ? null : data.nodes[at.parent]);
  return chain.reduce((below, at) => ({name: labelled(data, at, width), value: tree.value,
    node: at, fade: true, children: [{...below, fade: below !== tree}]}), tree);
}

// A warm colour of its own for each name, the same in every report.
function colorOf(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  const spread = (hash >>> 0) / 2 ** 32;
  return `hsl(${18 + spread * 38} ${70 + (hash & 15)}% ${62 + ((hash >>> 8) & 15)}%)`;
}

// Of the whole tree, also of what is too slim to be seen; a match inside a match counts once.
function tellFound(data, term, total) {
  let frames = 0, sum = 0;
  const isInside = new Array(data.nodes.length).fill(false);
  data.nodes.forEach((node, i) => {
    const isMatch = nameOf(data, node.fn).toLowerCase().includes(term);
    const isBelow = node.parent !== null && isInside[node.parent];
    isInside[i] = isMatch || isBelow;
    if (!isMatch) return;
    frames++;
    if (!isBelow) sum += node.width;
  });
  document.getElementById('found').textContent =
    `${count(frames)} found, ${time(sum)} (${percent(sum, total)})`;
}

export function drawFlame(data, onChoose) {
  const place = document.getElementById('flame');
  const pointer = document.getElementById('under-pointer');
  const hint = pointer.textContent;
  setWidths(data.nodes);
  const width = () => place.clientWidth || 900;
  const whole = ({node, name}) => (node ? nameOf(data, node.fn) : name);
  const root = visible(data, null, width(), undefined, 0), total = root.value;
  const view = {node: null, term: ''};
  const label = ({data: {node, name}}) => (node
    ? `${nameOf(data, node.fn)}: ${time(node.width)} (${percent(node.width, total)}), itself ${time(node.self)}, ${count(node.count)} calls`
    : `${name}: ${time(total)}`);
  const chart = flamegraph()
    .width(width()).cellHeight(CELL).minFrameSize(SLIMMEST).transitionDuration(0)
    .inverted(true).resetHeightOnZoom(true)
    .setColorMapper((d) => (d.highlight ? 'var(--mark)' : colorOf(whole(d.data))))
    .setLabelHandler(label)
    .setDetailsHandler((text) => { pointer.textContent = text ?? hint; })
    .setSearchMatch((d, term) => whole(d.data).toLowerCase().includes(term))
    .setSearchHandler(() => {});
  const show = (node) => {
    view.node = node;
    chart.update(withCallers(data, node, width(), visible(data, node, width(), undefined, 0)));
    if (view.term) chart.search(view.term);
  };
  select(place).datum(root).call(chart);
  // Before the chart's own zoom, which would lay out the old tree only for us to replace it.
  place.addEventListener('click', (event) => {
    const frame = event.target.closest('g.frame');
    if (!frame) return;
    event.stopPropagation();
    const {node} = select(frame).datum().data;
    if (node !== view.node) show(node);
    if (node && node.fn !== null) onChoose(node.fn);
  }, true);
  wire(chart, place, {show, resized: () => show(view.node), search: (term) => {
    view.term = term;
    if (term) tellFound(data, term, total);
    else document.getElementById('found').textContent = '';
    if (term) chart.search(term);
    else chart.clear();
  }});
}

function wire(chart, place, act) {
  const search = document.getElementById('search');
  let timer = 0;
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => act.search(search.value.trim().toLowerCase()), 120);
  });
  document.getElementById('reset').addEventListener('click', () => act.show(null));
  new ResizeObserver(() => {
    if (place.clientWidth === chart.width() || !place.clientWidth) return;
    chart.width(place.clientWidth);
    act.resized();
  }).observe(place);
}
