# SPDX-License-Identifier: MIT
"""Reports of known content: a tree is written down, and what functions, callers and threads sum up to
is counted here, by other means than stint's."""
import json
import math


class Node:
    """A call path: a function by key, calls, Self in ms, and what it calls."""

    def __init__(self, key, calls, self_ms, *below):
        self.key, self.calls, self.self_ms, self.below = key, calls, self_ms, below

        self.parts = math.fsum([self_ms, *(child.parts for child in below)])

    def total_ms(self):
        """Of the path and of all below it."""
        return self.parts

    def walk(self):
        """Each path with the keys above it, as (key, (key, …)): the outermost is the innermost pair."""
        stack = [(self, None)]
        while stack:
            node, above = stack.pop()
            node.above = above
            yield node
            stack += [(child, (node.key, above)) for child in node.below]

    def keys_above(self):
        """Innermost first."""
        above = self.above
        while above:
            yield above[0]
            above = above[1]


class Report:
    """functions: key -> members of the report's function; a key that is not there is a category."""

    def __init__(self, functions, roots, threads=(), recorded=None, extra=None):
        self.functions, self.roots, self.recorded = functions, roots, recorded or {}
        self.nodes = [node for root in roots for node in root.walk()]
        own, total, self.calls = {}, {}, {}
        for node in self.nodes:
            if node.key is None:
                continue
            own.setdefault(node.key, []).append(node.self_ms)
            if node.key not in node.keys_above():
                total.setdefault(node.key, []).append(node.total_ms())
            self.calls[node.key] = self.calls.get(node.key, 0) + node.calls
        self.self_ms = {key: math.fsum(parts) for key, parts in own.items()}
        self.total_ms = {key: math.fsum(parts) for key, parts in total.items()}
        keys = list(self.self_ms)
        self.whole_ms = math.fsum(node.self_ms for node in self.nodes)
        self.ids = {key: i for i, key in enumerate(sorted((k for k in keys if k in functions),
                                                          key=lambda k: -self.self_ms[k]))}
        self.threads, self.extra = threads, extra or {}

    def name(self, key):
        return self.functions[key]['name'] if key in self.functions else key

    def statistics(self, key, factor=1.0):
        calls, total = self.calls[key], self.total_ms[key]
        average = total / calls if calls else 0
        return {'Count': calls, 'Total_ms': total, 'Self_ms': self.self_ms[key], 'Avg_ms': average,
                'Min_ms': average / 2, 'Max_ms': average * 2, 'P50_ms': average, 'P90_ms': average * 1.5,
                'P95_ms': average * 1.6, 'P99_ms': average * 1.7, 'P99_9_ms': average * 1.8,
                'percentiles': 'histogram', 'histogram': [[0, 1, calls]]}

    def tree(self, roots):
        nodes, stack = [], [(root, None) for root in reversed(roots)]
        while stack:
            node, parent = stack.pop()
            item = {'id': len(nodes), 'parent': parent}
            if node.key in self.functions:
                item['function'] = self.ids[node.key]
            elif node.key is not None:
                item['category'] = node.key
            else:
                item['folded'] = True
            item.update(Count=node.calls, Total_ms=node.total_ms(), Self_ms=node.self_ms)
            nodes.append(item)
            stack += [(child, item['id']) for child in reversed(node.below)]
        return nodes

    def json(self):
        functions = [{'id': i, 'offset': hex(0x1000 + 16 * i), 'module': '/opt/app/bin/app',
                      **self.functions[key], **self.statistics(key)} for key, i in self.ids.items()]
        categories = {key: self.statistics(key) for key in self.calls if key not in self.functions}
        return {
            'schema': 1, 'stint': '0.1.0',
            'process': {'pid': 4242, 'parent_pid': 1, 'run': '4242:99', 'executable': '/opt/app/bin/app',
                        'arguments': ['app'], 'host': 'h', 'started_at': '2026-01-31T09:30:00.123456Z',
                        'duration_ms': 2012.5, 'cpu_ms': 2000.0, 'ending': {'kind': 'exit', 'status': 0}},
            'clock': {'source': 'tsc', 'ticks_per_second': 2e9, 'error_ppm': 0.5},
            'overhead': {'calls': 1, 'per_call_ns': 25.0, 'total_ms': 0.1},
            'lost': {key: 0 for key in ('calls_too_deep', 'calls_while_busy', 'contexts_folded', 'threads_merged',
                                        'unmatched_exits', 'stacks_dropped', 'negative_times', 'calls_after_report')},
            'categories': {**categories, **self.recorded}, 'functions': functions,
            'threads': [{'id': i, 'tid': 4242 + i, 'name': f'thread {i}', 'start_routine': None, 'parent': None,
                         'started_ms': 0.0, 'lifetime_ms': 2012.5, 'cpu_ms': 2000.0, 'state': 'exited',
                         'generations': 1, 'open_calls': [], 'functions': [], 'categories': {},
                         'call_tree': self.tree(roots)} for i, roots in enumerate(self.threads)],
            'call_tree': self.tree(self.roots), **self.extra}

    def write(self, path):
        with open(path, 'w', encoding='utf-8') as out:
            json.dump(self.json(), out, ensure_ascii=False)

    def ns(self, ms):
        return round(ms * 1e6)


def plain():
    """Recursion, alone and in a circle; a function that is a root and is called; a category; two roots."""
    functions = {key: {'name': name} for key, name in {
        'main': 'main', 'parse': 'parse(char const*)', 'walk': 'walk', 'even': 'even', 'odd': 'odd',
        'work': 'work', 'folded': 'late'}.items()}
    roots = [
        Node('main', 1, 1.5,
             Node('parse', 3, 9.25),
             Node('walk', 4, 2.0, Node('walk', 8, 1.0, Node('walk', 16, 0.5, Node('parse', 16, 0.125)))),
             Node('even', 1, 3.0, Node('odd', 1, 4.0, Node('even', 1, 5.0, Node('odd', 1, 6.0)))),
             Node('Frame', 60, 0.75, Node('work', 60, 480.0))),
        Node('work', 2, 100.0, Node('parse', 1, 0.000001)),
        Node(None, 0, 0.0, Node('folded', 7, 0.5)),
    ]
    return Report(functions, roots, threads=([roots[0]], [roots[1]]), recorded={
        'Sample': {'Count': 5, 'Total_ms': 50.0, 'Avg_ms': 10.0, 'Min_ms': 1.0, 'Max_ms': 20.0, 'P50_ms': 10.0,
                   'P90_ms': 18.0, 'P95_ms': 19.0, 'P99_ms': 19.8, 'P99_9_ms': 19.98, 'percentiles': 'exact',
                   'histogram': [[0, 1, 5]]}}, extra={
        'counters': {'cache "hits"': {'Count': 3, 'Sum': -12}},
        'values': {'size': {'unit': 'bytes', 'Count': 4, 'Sum': 1e9, 'Avg': 2.5e8, 'Min': 0.5, 'Max': 9e8, 'P50': 7.0,
                            'P90': 8.0, 'P95': 8.5, 'P99': 9.0, 'P99_9': 9.5, 'percentiles': 'exact'},
                   'error': {'unit': '', 'Count': 2, 'Sum': -1.0, 'Avg': -0.5, 'Min': -2.0, 'Max': 1.0, 'P50': -0.5,
                             'percentiles': 'exact'}},
        'frames': {'Frame': {'Count': 60, 'budget_ms': 16.5, 'missed': 12, 'series': [], 'worst': [], 'blame': []}}})


HOSTILE = [
    'quote " and \' apostrophe', 'back\\slash \\n \\N \\G', 'semi;colon;', ' blanks ', 'Phase 2', 'Phase 2 3.5',
    'line\nfeed', 'carriage\rreturn', 'tab\tulator', 'escape\x1b[2J\x7f', 'c1 \x85 \x9b', 'separators \u2028 \u2029',
    'naïve Größe 数 \U0001f600', '<script>&amp;</b>', '&lt;html&gt;', '=1+1', 'a,b,"c"', '(5) parenthesis', '(6)',
    '# comment', '{label="x"} 1', 'fn=(1) x', '%s %n %d', '-[Object method:]', 'operator()(int) const::{lambda()#1}',
    'template<' + 'std::vector<int, std::allocator<int> >, ' * 250 + 'void>', '',
]


def hostile():
    functions = {f'h{i}': {'name': name} for i, name in enumerate(HOSTILE)}
    # three of one name: two of one module, one of another
    functions.update(a={'name': 'twin', 'offset': '0x11'}, b={'name': 'twin', 'offset': '0x22'},
                     c={'name': 'twin', 'module': '/opt/app/lib/ü "; \n.so', 'offset': '0x11'},
                     main={'name': 'main'})
    below = [Node(key, 1, 1.0 + i, Node('leaf of ' + key, 1, 0.5)) for i, key in enumerate(functions) if key != 'main']
    below += [Node('Category 7', 1, 0.25), Node('twin', 1, 0.125), Node('cat;\n"\\', 1, 2.0)]
    return Report(functions, [Node('main', 1, 1.0, *below)])


def fractions():
    """What each path has is less than half a nanosecond."""
    functions = {f'f{i}': {'name': f'f{i}'} for i in range(1000)} | {'main': {'name': 'main'}}
    return Report(functions, [Node('main', 1, 0.0, *(Node(f'f{i}', 1, 4e-7) for i in range(1000)))])


def deep():
    """A recursion of 20 000 calls, and another function at its end."""
    node = Node('leaf', 1, 0.5)
    for _ in range(20000):
        node = Node('again', 1, 0.001, node)
    return Report({key: {'name': key} for key in ('main', 'again', 'leaf')}, [Node('main', 1, 0.25, node)])


def large():
    """20 000 functions, 60 000 paths, 60 deep."""
    functions = {f'f{i}': {'name': f'namespace_{i % 7}::Class_{i % 100}::method_{i}(int, char const*)',
                           'module': f'/opt/app/lib/lib{i % 20}.so'} for i in range(20000)}
    roots, count = [], 0
    for chain in range(1000):
        node = None
        for depth in reversed(range(60)):
            key = f'f{(chain * 7919 + depth * 104729 + count) % 20000}'
            node = Node(key, 3, 0.001 * (depth % 17) + 0.0001, *([node] if node else []))
            count += 1
        roots.append(node)
    used = {node.key for root in roots for node in root.walk()}
    roots.append(Node('f0', 1, 1.0, *(Node(key, 1, 0.25) for key in functions if key not in used)))
    return Report(functions, roots)
