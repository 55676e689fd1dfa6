// SPDX-License-Identifier: MIT
// uPlot charts: the histogram of one function, and the durations of frames over time.
import uPlot from 'uplot';
import {color, time} from './text.js';

const HEIGHT = 200, BINS = 96;
let histogram = null;

// The report's buckets are fine; a chart wants about a hundred, of equal width on a logarithmic
// axis. A bucket's count goes to the bin that holds its middle.
export function rebin(flat) {
  const low = Math.max(1, flat[0]), high = Math.max(low + 1, flat[flat.length - 2]);
  const step = Math.max(Math.log(high / low) / BINS, 1e-9);
  const counts = new Array(BINS + 1).fill(0);
  for (let i = 0; i < flat.length; i += 3) {
    const middle = Math.max(low, (flat[i] + flat[i + 1]) / 2);
    counts[Math.min(BINS, Math.floor(Math.log(middle / low) / step))] += flat[i + 2];
  }
  return [counts.map((_, i) => low * Math.exp(i * step)), counts];
}

// 2.5M: room for few characters beside an axis.
const compact = (n) => new Intl.NumberFormat('en', {notation: 'compact'}).format(n);

function axes(more = {}) {
  const stroke = color('--faint'), grid = {stroke: color('--line')};
  return {stroke, grid, ticks: grid, ...more};
}

// In the legend while nothing is pointed at.
const told = (text) => text || '–';

// Vertical lines at [{at, name}] of the x axis.
function marks(places) {
  return (plot) => {
    const {ctx} = plot;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = color('--mark');
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.font = `${12 * devicePixelRatio}px system-ui`;
    for (const {at, name} of places) {
      if (at === null || at === undefined) continue;
      const x = plot.valToPos(at, 'x', true);
      ctx.beginPath();
      ctx.moveTo(x, plot.bbox.top);
      ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
      ctx.stroke();
      ctx.fillText(name, x + 4 * devicePixelRatio, plot.bbox.top - 4 * devicePixelRatio);
    }
    ctx.restore();
  };
}

export function drawHistogram(fn) {
  const place = document.getElementById('histogram');
  if (histogram) histogram.destroy();
  histogram = null;
  place.replaceChildren();
  if (!fn.histogram || fn.histogram.length < 3) {
    place.textContent = 'No call has ended.';
    return;
  }
  histogram = new uPlot({
    width: place.clientWidth || 800, height: HEIGHT, padding: [20, null, null, null],
    cursor: {drag: {x: false, y: false}},
    scales: {x: {time: false, distr: 3, log: 10}},
    axes: [axes({values: (plot, ticks) => ticks.map((t) => (t === null ? '' : time(t)))}),
      axes({size: 60, values: (plot, ticks) => ticks.map(compact)})],
    series: [{label: 'from', value: (plot, v) => told(time(v))},
      {label: 'calls', stroke: color('--bar'), fill: `${color('--bar')}66`,
        value: (plot, v) => (v === null ? '–' : String(v)), paths: uPlot.paths.stepped({align: 1}), points: {show: false}}],
    hooks: {draw: [marks([{at: fn.p50, name: 'P50'}, {at: fn.p99, name: 'P99'}])]},
  }, rebin(fn.histogram), place);
}

// buckets: [start, frames, min, mean, max] in ns, by start; onPick(startNs) at a click.
export function drawFrames(place, buckets, budget, worst, onPick) {
  place.replaceChildren();
  const data = [buckets.map((b) => b[0] / 1e9), buckets.map((b) => b[4]), buckets.map((b) => b[3])];
  const chosen = {start: null};
  const plot = new uPlot({
    width: place.clientWidth || 800, height: HEIGHT + 40,
    scales: {x: {time: false}, y: {range: (u, min, max) => [0, Math.max(max, budget) * 1.05]}},
    axes: [axes({values: (u, ticks) => ticks.map((t) => `${t} s`)}),
      axes({size: 70, values: (u, ticks) => ticks.map((t) => time(t))})],
    series: [{label: 'at', value: (u, v) => (v === null ? '–' : `${v.toFixed(3)} s`)},
      {label: 'longest', stroke: color('--bar'), value: (u, v) => told(time(v)), points: {size: 4}},
      {label: 'mean', stroke: color('--faint'), value: (u, v) => told(time(v)), points: {show: false}}],
    hooks: {
      draw: [budgetLine(budget), worstDots(worst, chosen)],
      ready: [(u) => u.over.addEventListener('click', () => {
        if (u.cursor.left >= 0) onPick(u.posToVal(u.cursor.left, 'x') * 1e9);
      })],
    },
  }, data, place);
  return {plot, choose: (start) => { chosen.start = start; plot.redraw(); }};
}

function budgetLine(budget) {
  return (plot) => {
    const y = plot.valToPos(budget, 'y', true), {ctx, bbox} = plot;
    ctx.save();
    ctx.setLineDash([6, 4]);
    ctx.strokeStyle = color('--accent');
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  };
}

function worstDots(worst, chosen) {
  return (plot) => {
    const {ctx} = plot;
    ctx.save();
    for (const frame of worst) {
      const isChosen = frame.start === chosen.start;
      ctx.fillStyle = color(isChosen ? '--mark' : '--accent');
      ctx.beginPath();
      ctx.arc(plot.valToPos(frame.start / 1e9, 'x', true), plot.valToPos(frame.duration, 'y', true),
        (isChosen ? 6 : 3.5) * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  };
}
