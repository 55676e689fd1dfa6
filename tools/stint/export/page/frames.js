// SPDX-License-Identifier: MIT
// Frames over time; a click on one of the worst shows what made it slow.
import {drawFrames} from './charts.js';
import {findFunction, nameOf} from './model.js';
import {count, fromMs, plainTable, time} from './text.js';

export function showFrames(data, onChoose) {
  const kinds = Object.keys(data.frames ?? {});
  if (!kinds.length) return () => {};
  document.getElementById('frames-section').hidden = false;
  const select = document.getElementById('frame-kind');
  for (const kind of kinds) select.add(new Option(kind, kind));
  const draw = () => showKind(data, data.frames[select.value], onChoose);
  select.addEventListener('change', draw);
  draw();
  return draw;
}

function entryName(data, entry) {
  const fn = findFunction(data, entry);
  return fn >= 0 ? nameOf(data, fn) : entry.category;
}

function showKind(data, kind, onChoose) {
  const worst = (kind.worst ?? []).map((frame) =>
    ({...frame, start: fromMs(frame.start_ms), duration: fromMs(frame.duration_ms)}));
  const buckets = (kind.series ?? []).flatMap((series) => series.buckets)
    .map(([start, frames, ...times]) => [fromMs(start), frames, ...times.map(fromMs)])
    .sort((a, b) => a[0] - b[0]);
  document.getElementById('frame-facts').textContent = `${count(kind.Count)} frames, ` +
    `${count(kind.missed)} over ${kind.budget_ms} ms, average ${time(fromMs(kind.Avg_ms))}, ` +
    `P99 ${time(fromMs(kind.P99_ms))}, longest ${time(fromMs(kind.Max_ms))}`;
  let chart = null, rows = [];
  const pick = (index) => {
    rows.forEach((row, i) => row.classList.toggle('is-chosen', i === index));
    chart.choose(worst[index].start);
    showCulprits(data, worst[index], onChoose);
  };
  chart = drawFrames(document.getElementById('frame-chart'), buckets, fromMs(kind.budget_ms), worst,
    (start) => { if (worst.length) pick(nearest(worst, start)); });
  plainTable(document.getElementById('worst'), ['frame', 'thread', 'at', 'took'],
    worst.map((w) => [`${w.frame}`, `${w.thread}`, time(w.start), time(w.duration)]), pick);
  rows = [...document.querySelectorAll('#worst tbody tr')];
  showBlame(data, kind.blame ?? [], onChoose);
}

function nearest(worst, start) {
  let best = 0;
  worst.forEach((w, i) => {
    if (Math.abs(w.start - start) < Math.abs(worst[best].start - start)) best = i;
  });
  return best;
}

function showBlame(data, blame, onChoose) {
  document.getElementById('culprits-title').textContent = 'What made the worst frames slow';
  plainTable(document.getElementById('culprits'), ['function', 'more than typical', 'frames'],
    blame.map((b) => [entryName(data, b), time(fromMs(b.excess_ms)), count(b.frames)]),
    (i) => onChoose(findFunction(data, blame[i])));
}

function showCulprits(data, frame, onChoose) {
  document.getElementById('culprits-title').textContent = `What made frame ${frame.frame} slow`;
  const entries = frame.functions ?? [];
  plainTable(document.getElementById('culprits'), ['function', 'itself', 'typical', 'more'],
    entries.map((e) => [entryName(data, e), time(fromMs(e.self_ms)), time(fromMs(e.typical_ms)),
      time(fromMs(e.excess_ms))]),
    (i) => onChoose(findFunction(data, entries[i])));
}
