/** Prints the notes of a release, the section of CHANGELOG.md with its version: `node test/release-notes.mjs v0.1.0`. Exits with 1 without one. */
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const sections = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split(/^(?=## )/m);
const section = sections.find((one) => one.startsWith(`## [${tag.replace(/^v/, '')}]`));
if (section === undefined || tag !== `v${version}`) {
  process.stderr.write(
    `the release of version ${version} needs the tag v${version} and a section [${version}] of CHANGELOG.md (got ${tag})\n`,
  );
  process.exit(1);
}
process.stdout.write(`${section.split('\n').slice(1).join('\n').trim()}\n`);
