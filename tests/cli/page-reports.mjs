// SPDX-License-Identifier: MIT
// Reports of known content for page.mjs.

const ms = (count, total, self, more = {}) => ({Count: count, Total_ms: total, Self_ms: self, ...more});

function timed(count, total, self, low, high) {
  return ms(count, total, self, {Avg_ms: total / count, Min_ms: low, Max_ms: high, P50_ms: 1, P90_ms: 5,
    P95_ms: 8, P99_ms: 9, P99_9_ms: 9.5, percentiles: 'histogram',
    histogram: [[low * 1e6, Math.round(low * 1.01e6), count - 1], [Math.round(high * 0.99e6), high * 1e6, 1]]});
}

function report(functions, categories, nodes, more = {}) {
  return {
    schema: 1, stint: '0.1.0',
    process: {pid: 4242, parent_pid: 1, run: '4242:1', executable: '/opt/app', arguments: ['app'], host: 'here',
      started_at: '2026-01-31T09:30:00.123456Z', duration_ms: 100, cpu_ms: 90, ending: {kind: 'exit', status: 0}},
    clock: {source: 'tsc', ticks_per_second: 2000000000, error_ppm: 0.5},
    overhead: {calls: 1000, per_call_ns: 23.5, total_ms: 0.0235},
    lost: {calls_too_deep: 0, calls_while_busy: 0, contexts_folded: 0, threads_merged: 0, unmatched_exits: 0,
      stacks_dropped: 0, negative_times: 0, calls_after_report: 0},
    categories,
    functions: functions.map((f, id) => ({id, raw_name: f.name, module: '/opt/app', offset: `0x${(id + 16).toString(16)}`, ...f})),
    threads: [{id: 0, tid: 4242, name: 'main', start_routine: null, parent: null, started_ms: 0, lifetime_ms: 100,
      cpu_ms: 90, state: 'running', generations: 1, open_calls: [], functions: [], categories: {}}],
    call_tree: nodes.map((node, id) => ({id, parent: null, ...node})),
    ...more,
  };
}

// main 100 ms: World::update 60 (with Chunk::load 5 below it), render 30 (with the scope Frustum_Culling 10).
export function small() {
  const buckets = Array.from({length: 100}, (_, i) => {
    const took = i === 70 ? 30 : i === 30 ? 20 : 10;
    return [i * 10, 1, took, took, took];
  });
  return report([
    {name: 'World::update(float)', ...timed(40, 60, 55, 1, 10)}, {name: 'render', ...timed(40, 30, 20, 0.5, 9)},
    {name: 'main', ...ms(1, 100, 10, {Open: 1})}, {name: 'Chunk::load()', ...timed(10, 5, 5, 0.2, 1)},
  ], {Frustum_Culling: timed(40, 10, 10, 0.1, 0.4)}, [
    {function: 2, ...ms(1, 100, 10, {Open: 1})}, {parent: 0, function: 0, ...ms(40, 60, 55)},
    {parent: 1, function: 3, ...ms(10, 5, 5)}, {parent: 0, function: 1, ...ms(40, 30, 20)},
    {parent: 3, category: 'Frustum_Culling', ...ms(40, 10, 10)},
  ], {
    counters: {'draw calls': {Count: 3, Sum: 120}},
    values: {mesh: {unit: 'bytes', Count: 2, Sum: 30, Avg: 15, Min: 10, Max: 20, P50: 15, P90: 19, P95: 19.5, P99: 19.9,
      P99_9: 19.99, percentiles: 'exact', histogram: [[10, 10.1, 1], [19.9, 20.1, 1]]}},
    frames: {Frame_Total: {
      ...timed(100, 1030, 0, 10, 30), budget_ms: 16.667, missed: 2,
      series: [{thread: 0, frames_per_bucket: 1, buckets}],
      worst: [70, 30].map((n) => ({frame: n, thread: 0, start_ms: n * 10, duration_ms: n === 70 ? 30 : 20,
        functions: [{category: 'Frustum_Culling', self_ms: n === 70 ? 20.2 : 10, typical_ms: 0.1, excess_ms: n === 70 ? 20.1 : 9.9}]})),
      blame: [{category: 'Frustum_Culling', excess_ms: 30, frames: 2}],
    }},
  });
}

// One C++ function in a wide frame and in narrower ones, of 1280: 40, 20 and 4 % of the whole.
export const longName = 'db::Table<int, std::less<int> >::find(db::Slice const&, db::Slice const&) const';
export function longNames() {
  const nodes = [40, 20, 4].map((part, i) => ({parent: i + 1, function: 0, ...ms(1, part, part)}));
  return report([{name: longName, ...ms(3, 64, 64)}, ...['a', 'b', 'c'].map((name) => ({name, ...ms(1, 20, 12)})),
    {name: 'main', ...ms(1, 100, 36)}], {},
  [{function: 4, ...ms(1, 100, 36)}, ...[40, 20, 4].map((part, i) => ({parent: 0, function: i + 1, ...ms(1, part, 0)})), ...nodes]);
}

export const hostileNames = ['</script><script>window.harmed = 1</script>', '<!-- <script>', '<img src=x onerror="harmed=1">',
  'a"b\\c', "it's & <b>bold</b>", '\u2028line\u2029ends', '${harmed=1}', '/*DATA*/', 'naïve::größe()'];

export function hostile() {
  return report(hostileNames.map((name, i) => ({name, ...timed(9, 10 - i / 10, 10 - i / 10, 1, 2)})), {'</script>': ms(1, 1, 1)},
    hostileNames.map((name, i) => ({function: i, ...ms(9, 10 - i / 10, 10 - i / 10)})));
}

export function empty() { return report([], {}, []); }

export function deep(levels) {
  const nodes = Array.from({length: levels}, (_, i) =>
    ({parent: i ? i - 1 : null, function: 0, ...ms(1, (levels - i) / 1000, 0.001)}));
  return report([{name: 'again', ...timed(levels, levels / 1000, levels / 1000, 0.001, 60)}], {}, nodes);
}

// Numerical Recipes' quick generator: the same tree at every run.
export function large(functions, nodes) {
  let seed = 1;
  const random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 2 ** 32; };
  const tree = Array.from({length: nodes}, (_, i) => ({parent: i ? Math.floor(i * (0.2 + 0.8 * random())) : null,
    function: i % functions, Count: 10, Total_ms: 0, Self_ms: 0.01 / (0.01 + random())}));
  for (const node of tree) if (node.parent !== null && tree[node.parent] === node) node.parent--;
  for (let i = nodes - 1; i >= 0; i--) {
    tree[i].Total_ms += tree[i].Self_ms;
    if (i) tree[tree[i].parent].Total_ms += tree[i].Total_ms;
  }
  const rows = Array.from({length: functions}, (_, i) => ({name: `ns::Class${i % 97}::function_${i}(int, Name const&)`, ...timed(30, 0.1, 0.1, 0.001, 0.01)}));
  for (const node of tree) {
    rows[node.function].Self_ms += node.Self_ms;
    rows[node.function].Total_ms += node.Total_ms;
  }
  return report(rows, {}, tree);
}
