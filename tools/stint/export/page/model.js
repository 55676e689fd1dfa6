// SPDX-License-Identifier: MIT
// The data that the exporter wrote into the page, with names for its columns.

const FUNCTION = ['name', 'module', 'isCategory', 'count', 'open', 'total', 'self', 'avg', 'min',
  'max', 'p50', 'p90', 'p99', 'p999', 'histogram'];

const THREAD = ['name', 'start_routine', 'isRunning', 'tid', 'generations', 'calls', 'started',
  'lifetime', 'cpu'];

const named = (keys, row, id) =>
  Object.fromEntries([['id', id], ...keys.map((key, i) => [key, row[i]])]);

export function load() {
  const data = JSON.parse(document.getElementById('data').textContent);
  data.functions = data.functions.map((row, id) => named(FUNCTION, row, id));
  data.threads = data.threads.map((row, id) => named(THREAD, row, id));
  data.nodes = data.nodes.map(([parent, fn, calls, total, self]) =>
    ({parent, fn, count: calls, total, self, children: []}));
  for (const node of data.nodes)
    if (node.parent !== null) data.nodes[node.parent].children.push(node);
  data.nodesOf = data.functions.map(() => []);
  for (const node of data.nodes) if (node.fn !== null) data.nodesOf[node.fn].push(node);
  return data;
}

export function nameOf(data, fn) {
  return fn === null ? '[folded]' : data.functions[fn].name;
}

// Frames name functions by id and categories by name.
export function findFunction(data, entry) {
  if (entry.function !== undefined) return entry.function;
  return data.functions.findIndex((f) => f.isCategory && f.name === entry.category);
}

// Who called it, or whom it called: [{fn, count, total}], most time first. fn null = nobody.
export function neighbours(data, fn, isCallers) {
  const sums = new Map();
  const add = (key, node) => {
    const sum = sums.get(key) ?? {fn: key, count: 0, total: 0};
    sum.count += node.count;
    sum.total += node.total;
    sums.set(key, sum);
  };
  for (const node of data.nodesOf[fn]) {
    if (isCallers) add(node.parent === null ? null : data.nodes[node.parent].fn, node);
    else for (const child of node.children) add(child.fn, child);
  }
  return [...sums.values()].sort((a, b) => b.total - a.total);
}
