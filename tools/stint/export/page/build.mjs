// SPDX-License-Identifier: MIT
// node build.mjs SOURCES OUT: bundles the page's script and style into one page, with the notices of
// every library in it, and writes it as C. Libraries come from node_modules beside OUT.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';

const [, , sources, out] = process.argv;
const modules = join(dirname(resolve(out)), 'node_modules');
const {build} = createRequire(join(modules, 'of-the-build.js'))('esbuild');
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

// A literal a line of the page, in ASCII; octal escapes are three digits, so none runs on.
function literal(line) {
  const bytes = [...Buffer.from(line, 'utf8')];
  return `"${bytes.map((b) => (b >= 32 && b < 127 && !'"\\\\?'.includes(String.fromCharCode(b))
    ? String.fromCharCode(b) : `\\${b.toString(8).padStart(3, '0')}`)).join('')}"`;
}

writeFileSync(out, `/* Made by build.mjs. */
#include "export/template.h"

const char template_page[] =
${page.split(/(?<=\n)/).map(literal).join('\n')};
const size_t template_bytes = sizeof template_page - 1;
`);
