// SPDX-License-Identifier: MIT
// node build.mjs SOURCES OUT: bundles the page's script and style into one file, with the notices of
// every library in it. Libraries come from node_modules beside OUT.
import {build} from 'esbuild';
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';

const [, , sources, out] = process.argv;
const modules = join(dirname(resolve(out)), 'node_modules');
const result = await build({
  entryPoints: [join(sources, 'page.js')], bundle: true, minify: true, keepNames: true, write: false,
  metafile: true, target: 'es2021', charset: 'utf8', outdir: 'out', nodePaths: [modules],
  logLevel: 'warning', legalComments: 'none',
});
const texts = Object.fromEntries(result.outputFiles.map((f) => [f.path.split('.').pop(), f.text]));

function notices() {
  const names = new Set(Object.keys(result.metafile.inputs)
    .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean));
  return [...names].sort().map((name) => {
    const about = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
    const file = readdirSync(join(modules, name)).find((f) => /^licen[cs]e/i.test(f));
    const text = file ? readFileSync(join(modules, name, file), 'utf8') : '';
    return `${name} ${about.version} (${about.license})\n\n${text.trim()}`;
  }).join('\n\n').replaceAll('--', '- -');
}

const page = readFileSync(join(sources, 'page.html'), 'utf8')
  .replace('/*STYLE*/', () => texts.css.replaceAll('</', '<\\/'))
  .replace('/*SCRIPT*/', () => texts.js.replaceAll('</script', '<\\/script'))
  .replace('</head>', () => `<!--\nLibraries in this page and their licences:\n\n${notices()}\n-->\n</head>`);
writeFileSync(out, page);
