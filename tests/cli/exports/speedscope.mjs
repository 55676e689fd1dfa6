// SPDX-License-Identifier: MIT
// speedscope's importers without its page: node speedscope.mjs RELEASE FILE… tells what each file holds,
// as JSON. RELEASE: dist/release of its npm package, whose one script is run up to where the page begins.
import {readFileSync, readdirSync} from 'node:fs';
import {basename, join} from 'node:path';
import vm from 'node:vm';

const [release, ...files] = process.argv.slice(2);
const name = readdirSync(release).find((file) => /^speedscope-.*\.js$/.test(file));
const script = readFileSync(join(release, name), 'utf8');
const exported = script.match(/[\w$]+\(([\w$]+),\{[^}]*importProfilesFromArrayBuffer/)[1];
const begin = script.match(new RegExp(`then\\(\\(\\)=>\\(([\\w$]+)\\(\\),${exported.replaceAll('$', '\\$')}\\)\\)`))[1];
const boot = script.lastIndexOf('console.log(`speedscope v');

// What the script touches of a page while it is read.
const anything = () => new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : key === 'then' ? undefined : anything()),
  set: () => true, apply: () => anything(), construct: () => anything()});
const warnings = [];
const warn = (...words) => warnings.push(words.join(' '));
const page = {document: anything(), navigator: {userAgent: '', platform: ''}, location: {hash: '', href: ''},
  console: {log() {}, warn, error: warn}, matchMedia: () => ({matches: false, addListener() {}, addEventListener() {}}),
  localStorage: anything(), requestAnimationFrame: () => 0, addEventListener() {}, setTimeout, clearTimeout, performance,
  TextDecoder, TextEncoder, DecompressionStream, Blob, Response, URL, Uint8Array, ArrayBuffer, DataView, atob, btoa};
page.window = page.self = page;
vm.createContext(page);
vm.runInContext(`${script.slice(0, boot)}${begin}();globalThis.importer=${exported}})();`, page);

function profile(from) {
  const self = {}, total = {};
  from.forEachFrame((frame) => {
    self[frame.name] = (self[frame.name] ?? 0) + frame.getSelfWeight();
    total[frame.name] = (total[frame.name] ?? 0) + frame.getTotalWeight();
  });
  return {name: from.getName(), unit: from.getWeightUnit(), weight: from.getTotalWeight(), self, total};
}

const told = {};
for (const file of files) {
  const bytes = readFileSync(file);
  warnings.length = 0;
  const group = await page.importer.importProfilesFromArrayBuffer(basename(file),
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  told[basename(file)] = {profiles: group ? group.profiles.map(profile) : null, warnings: [...warnings]};
}
process.stdout.write(JSON.stringify(told));
