// SPDX-License-Identifier: MIT
// The page in a real browser: node page.mjs STINT NODE_MODULES CHROMIUM [PICTURE]. Reports of known
// content become pages; what the page then shows and does is compared with the reports. TAP. Times of
// interactions are printed, not judged. PICTURE: where a screenshot of the demo's page goes, after the tests.
import assert from 'node:assert';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import * as reports from './page-reports.mjs';

const [, , stint, modules, chromiumPath, picture] = process.argv;
const {chromium} = createRequire(join(resolve(modules), 'of-the-test.js'))('playwright-core');
const work = mkdtempSync(join(tmpdir(), 'stint-page-'));
const browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox',
  '--disable-gpu', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--no-first-run', '--disable-quic']});

async function open(report, colorScheme = 'light') {
  const from = join(work, 'report.json');
  writeFileSync(from, JSON.stringify(report));
  return openFile(from, colorScheme);
}

async function openFile(from, colorScheme, viewport = {width: 1280, height: 900}) {
  const to = join(work, 'page.html');
  execFileSync(stint, ['export', '--format', 'html', '-o', to, from]);
  const page = await browser.newPage({viewport, colorScheme});
  page.troubles = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) page.troubles.push(m.text()); });
  page.on('pageerror', (error) => page.troubles.push(String(error)));
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) page.troubles.push(r.url()); });
  await page.goto(`file://${to}`);
  await page.waitForSelector('html[data-ready]', {state: 'attached'});
  return page;
}

const frames = (page) => page.locator('#flame g.frame');
const frame = (page, name) => page.locator(`#flame g.frame[name="${name}"]`);
const width = async (page, name) => Number(await frame(page, name).first().getAttribute('width'));
const rows = (page, place) => page.locator(`${place} tbody tr`).allInnerTexts();

async function search(page, term) {
  await page.fill('#search', term);
  await page.waitForFunction((t) => (t ? document.getElementById('found').textContent !== ''
    : document.getElementById('found').textContent === ''), term);
}

const tests = {
  async 'it opens without a word on the console and without the network'() {
    const page = await open(reports.small());
    assert.deepEqual(page.troubles, []);
    assert.equal(await page.textContent('#title'), 'app');
    assert.equal(await frames(page).count(), 6); // the program and its five paths
  },
  async 'widths are shares of the time with callees'() {
    const page = await open(reports.small()), all = await width(page, 'app');
    assert.ok(Math.abs(await width(page, 'World::update(float)') / all - 0.6) < 0.001);
    assert.ok(Math.abs(await width(page, 'Frustum_Culling') / all - 0.1) < 0.001);
  },
  async 'a click zooms and chooses, and the way back is there'() {
    const page = await open(reports.small()), all = await width(page, 'app');
    await frame(page, 'World::update(float)').click();
    assert.ok(Math.abs(await width(page, 'World::update(float)') - all) < 0.5);
    assert.equal(await frame(page, 'render').count(), 0); // a sibling
    assert.equal(await page.textContent('#function-name'), 'World::update(float)');
    await page.click('#reset');
    assert.equal(await frames(page).count(), 6);
  },
  async 'a long C++ name loses what there is no room for, and is whole under the pointer and for the search'() {
    const page = await open(reports.longNames());
    const labels = () => frames(page).evaluateAll((all) => all.map((g) => g.getAttribute('name')).filter((name) => name.includes('find')));
    assert.deepEqual(await labels(), ['db::Table<int, std::less<int> >::find(…) const', 'db::Table<…>::find(…) const', 'find(…) const']);
    const narrow = frame(page, 'find(…) const');
    await narrow.hover();
    assert.ok((await page.textContent('#under-pointer')).startsWith(`${reports.longName}: `));
    await search(page, 'std::less');
    assert.ok((await page.textContent('#found')).startsWith('3 found, 64.0 ms'));
    await search(page, '');
    await narrow.click();
    assert.equal((await labels())[0], reports.longName); // there is room
  },
  async 'search marks what it finds and says how much time that is'() {
    const page = await open(reports.small());
    await search(page, 'WORLD');
    const marked = await frames(page).locator('rect').evaluateAll((all) =>
      all.filter((r) => r.getAttribute('fill') === 'var(--mark)').map((r) => r.parentNode.getAttribute('name')));
    assert.deepEqual(marked, ['World::update(float)']);
    assert.equal(await page.textContent('#found'), '1 found, 60.0 ms (60.0 %)');
    await search(page, '');
    assert.equal(await page.locator('#flame rect[fill="var(--mark)"]').count(), 0);
  },
  async 'the table is sorted by self, filtered by name, and chooses'() {
    const page = await open(reports.small());
    const names = () => page.locator('#functions .tabulator-row [tabulator-field=name]').allInnerTexts();
    assert.deepEqual((await names()).slice(0, 2), ['World::update(float)', 'render']);
    await page.fill('#filter', 'cull');
    await page.waitForFunction(() => document.querySelectorAll('#functions .tabulator-row').length === 1);
    assert.deepEqual(await names(), ['Frustum_Culling']);
    assert.equal(await page.locator('#functions .tabulator-row [tabulator-field=module]').innerText(), '(category)');
    await page.locator('#functions .tabulator-row').first().click();
    assert.equal(await page.textContent('#function-name'), 'Frustum_Culling');
    assert.deepEqual(await rows(page, '#callers'), ['render\t40\t10.0 ms']);
    assert.equal(await page.innerText('#callees'), 'None that was recorded.');
  },
  async 'the histogram holds the calls and marks P50 and P99'() {
    const page = await open(reports.small());
    await frame(page, 'World::update(float)').click();
    assert.match(await page.textContent('#function-facts'), /P50 1\.00 ms.*P99 9\.00 ms/);
    const plot = page.locator('#histogram canvas');
    const lines = await plot.evaluate((canvas) => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const heights = new Array(canvas.width).fill(0); // of what has the colour of a mark
      for (let i = 0; i < data.length; i += 4)
        if (data[i] > 200 && data[i + 1] < 60 && data[i + 2] > 90 && data[i + 2] < 140)
          heights[(i / 4) % canvas.width]++;
      return heights.filter((height, x) => height > 50 && !(heights[x - 1] > 50)).length;
    });
    assert.equal(lines, 2);
  },
  async 'the worst frames are listed, and a click shows what made one slow'() {
    const page = await open(reports.small());
    assert.match(await page.textContent('#frame-facts'), /^100 frames, 2 over 16\.667 ms/);
    assert.deepEqual((await rows(page, '#worst')).map((r) => r.split('\t')[0]), ['70', '30']);
    assert.deepEqual(await rows(page, '#culprits'), ['Frustum_Culling\t30.0 ms\t2']);
    await page.locator('#worst tbody tr').nth(1).click();
    assert.equal(await page.textContent('#culprits-title'), 'What made frame 30 slow');
    assert.deepEqual(await rows(page, '#culprits'), ['Frustum_Culling\t10.0 ms\t100 µs\t9.90 ms']);
    const box = await page.locator('#frame-chart .u-over').boundingBox();
    await page.mouse.click(box.x + box.width * 0.69, box.y + box.height / 2);
    assert.equal(await page.textContent('#culprits-title'), 'What made frame 70 slow');
  },
  async 'threads, counters and values are told'() {
    const page = await open(reports.small());
    const cells = await page.locator('#threads .tabulator-row .tabulator-cell').allInnerTexts();
    const cut = await page.locator('#threads .tabulator-col-title').evaluateAll((all) =>
      all.filter((title) => title.scrollWidth > title.clientWidth).map((title) => title.textContent));
    assert.deepEqual(cut, []);
    assert.deepEqual(cells.slice(0, 5).map((c) => c.trim()), ['0', '4242', 'main', '', 'running']);
    assert.deepEqual(await rows(page, '#others'), ['draw calls\t3\t120\t\t\t\t', 'mesh (bytes)\t2\t30\t15\t15\t19.9\t20']);
  },
  async 'light and dark follow the system, and the button changes them'() {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await open(reports.small()), dark = await open(reports.small(), 'dark');
    assert.equal(await ground(light), 'rgb(251, 250, 248)');
    assert.equal(await ground(dark), 'rgb(20, 23, 26)');
    await light.click('#theme');
    assert.equal(await ground(light), 'rgb(20, 23, 26)');
  },
  async 'hostile names stay text'() {
    const page = await open(reports.hostile());
    assert.deepEqual(page.troubles, []);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    const names = await page.locator('#functions .tabulator-row [tabulator-field=name]').allTextContents();
    for (const name of reports.hostileNames) assert.ok(names.includes(name), name);
  },
  async 'a report without calls opens'() {
    const page = await open(reports.empty());
    assert.deepEqual(page.troubles, []);
  },
  async 'recursion sixty thousand deep opens and zooms'() {
    const page = await open(reports.deep(60000));
    await page.evaluate(() => document.querySelectorAll('#flame g.frame')[200]
      .dispatchEvent(new MouseEvent('click', {bubbles: true})));
    assert.deepEqual(page.troubles, []);
    assert.match(await page.textContent('#function-name'), /^again$/);
  },
  async 'twenty thousand functions stay usable'() {
    const page = await open(reports.large(20000, 60000));
    for (const [name, act] of Object.entries(interactions)) console.log(`# ${name}: ${(await timed(page, act)).toFixed(0)} ms`);
    assert.deepEqual(page.troubles, []);
    assert.equal(await page.textContent('#shown'), '111 of 20\u202f000');
  },
};

const interactions = {
  zoom: () => document.querySelectorAll('#flame g.frame')[5].dispatchEvent(new MouseEvent('click', {bubbles: true})),
  reset: () => document.getElementById('reset').click(),
  sort: () => document.querySelector('#functions [tabulator-field=count]').click(),
  filter: () => {
    const filter = document.getElementById('filter');
    filter.value = 'function_77';
    filter.dispatchEvent(new Event('input'));
  },
  row: () => document.querySelectorAll('#functions .tabulator-row')[2].click(),
};

// From the event to the frame after it.
function timed(page, act) {
  return page.evaluate(async (source) => {
    const start = performance.now();
    (0, eval)(`(${source})()`);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
  }, act.toString());
}

// The demo as it is built beside stint: what fits on one screen, without the host's name.
async function takePicture() {
  const from = join(work, 'demo.json');
  execFileSync(stint, ['run', '-q', '-o', from, join(dirname(stint), '../demo/demo')]);
  const page = await openFile(from, 'light', {width: 960, height: 680});
  await page.evaluate(() => {
    const summary = document.getElementById('summary');
    summary.textContent = summary.textContent.split(', ').slice(0, 4).join(', ');
    document.getElementById('flame').style.maxHeight = '145px';
  });
  await page.screenshot({path: picture});
}

let number = 0, failed = 0;
console.log(`1..${Object.keys(tests).length}`);
for (const [name, test] of Object.entries(tests)) {
  number++;
  try {
    await test();
    console.log(`ok ${number} - ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${number} - ${name}\n# ${String(error.stack ?? error).replaceAll('\n', '\n# ')}`);
  }
  for (const context of browser.contexts()) await context.close();
}
if (picture) await takePicture();
await browser.close();
rmSync(work, {recursive: true});
process.exit(failed ? 1 : 0);
