/** Bundle of the terminal for browsers, built once per state of its sources and stored beside the compiled sources. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { manifestPayloadSchema } from '../domain/manifest/payload-form.ts';
import { MANIFEST_TEMPLATES } from '../domain/manifest/templates.ts';

export interface TerminalFiles {
  /** Names of the page's first files. */
  readonly script: string;
  readonly style: string;
  /** Scripts that the first script imports. */
  readonly preloaded: readonly string[];
  readonly files: readonly { readonly name: string; readonly content: Buffer }[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'sevengate-terminal');
/** Folders of the terminal's sources. */
const ROOMS = ['web', 'clients/typescript/src', 'src/domain'];
const ENTRIES = { script: 'web/terminal/main.tsx', style: 'web/terminal/terminal.css' };
const INDEX = 'index.json';
/** Number of bundles kept, because another process may still read an older one. */
const KEPT = 3;

const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: Object.values(ENTRIES),
  outdir: '/',
  entryNames: '[name]-[hash]',
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  minify: true,
  metafile: true,
  write: false,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** Data of the manifest form: its schema and templates. */
const MANIFESTS = JSON.stringify({ schema: manifestPayloadSchema, templates: MANIFEST_TEMPLATES });

const NO_HASHING = `export function createHash() { throw new Error('pages hash nothing'); }
export const hash = createHash;`;

const COMPONENTS = join(ROOT, 'node_modules', '@mantine', 'core', 'esm');
const NAMED_IMPORT = /import (?:type )?\{([^}]*)\} from ["']([^"']+)["']/g;

/** Returns the file of each component, by name. */
function readComponentFiles(): ReadonlyMap<string, string> {
  const list = readFileSync(join(COMPONENTS, 'index.mjs'), 'utf8');
  return new Map(
    [...list.matchAll(NAMED_IMPORT)].flatMap(([, names = '', file = '']) => names.split(',').map((name) => [name.trim(), file] as const)),
  );
}

/** Returns a module with the components that a source names, each from its own file. */
function namedComponents(source: string, files: ReadonlyMap<string, string>): string {
  return [...source.matchAll(NAMED_IMPORT)]
    .filter(([, , from]) => from === '@mantine/core')
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().replace(/ as .*$/, '')))
    .filter((name) => files.has(name))
    .map((name) => `export { ${name} } from ${JSON.stringify(files.get(name))};`)
    .join('\n');
}

/** Modules that are not bundled as they are written. */
const SHARED: Plugin = {
  name: 'shared',
  setup(build) {
    // A separate copy for the chart: shared with the grammar it would be one more file on the first visit.
    build.onResolve({ filter: /\/domain\/market\/(session|published-steps)\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      suffix: '?chart',
    }));
    // From the one list of all components, whatever any page uses would load on the first visit.
    const componentFiles = readComponentFiles();
    build.onResolve({ filter: /^@mantine\/core$/ }, ({ importer }) => ({ path: importer, namespace: 'components' }));
    build.onLoad({ filter: /./, namespace: 'components' }, ({ path }) => ({
      contents: namedComponents(readFileSync(path, 'utf8'), componentFiles),
      resolveDir: COMPONENTS,
    }));
    // Pages hash nothing.
    build.onResolve({ filter: /^node:crypto$/ }, () => ({ path: 'no-hashing', namespace: 'domain' }));
    build.onLoad({ filter: /^no-hashing$/, namespace: 'domain' }, () => ({ contents: NO_HASHING }));
    build.onResolve({ filter: /\/manifest-schema\.js$/ }, () => ({ path: 'manifest-schema', namespace: 'domain' }));
    build.onLoad({ filter: /^manifest-schema$/, namespace: 'domain' }, () => ({ contents: MANIFESTS, loader: 'json' }));
  },
};

/** Style rules of the dock's own themes: two thirds of its style sheet. The terminal has a theme of its own. */
const DOCK_THEMES = /[^{}]*\.dockview-theme-[^{}]*\{[^{}]*\}/g;
const WITHOUT_DOCK_THEMES: Plugin = {
  name: 'without-dock-themes',
  setup(build) {
    build.onLoad({ filter: /\/dockview\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(DOCK_THEMES, ''),
      loader: 'css',
    }));
  },
};

/** Files of the terminal. @throws Error if a source does not compile */
export const TERMINAL = {
  /** Returns the stored files of these sources, or null if they must be bundled. */
  kept(): TerminalFiles | null {
    try {
      return readKept(join(CACHE, stateOfSources()));
    } catch {
      return null;
    }
  },
  /** Bundles the sources, which takes seconds, and longer on a busy machine. */
  async bundle(): Promise<TerminalFiles> {
    const folder = join(CACHE, stateOfSources());
    const files = await bundle();
    keep(files, folder);
    return files;
  },
};

export type TerminalSource = typeof TERMINAL;

async function bundle(): Promise<TerminalFiles> {
  const esbuild = await import('esbuild');
  try {
    const { outputFiles, metafile } = await esbuild.build({ ...OPTIONS, plugins: [SHARED, WITHOUT_DOCK_THEMES] });
    const files = outputFiles.map(({ path, contents }) => ({ name: baseName(path), content: Buffer.from(contents) }));
    const script = findEntry(metafile, ENTRIES.script);
    files.push({ name: 'icon.svg', content: readFileSync(join(ROOT, 'web', 'icon.svg')) });
    return { script, style: findEntry(metafile, ENTRIES.style), preloaded: importedBy(metafile, script), files };
  } finally {
    // Otherwise its process would live as long as this one.
    await esbuild.stop();
  }
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function findEntry({ outputs }: Metafile, entry: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (found === undefined) throw new Error(`the terminal bundle does not contain ${entry}`);
  return baseName(found[0]);
}

/** Returns the chunks that a script imports before it runs, directly or indirectly. */
function importedBy({ outputs }: Metafile, script: string): readonly string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [baseName(path), output]));
  const names = new Set<string>();
  const add = (name: string): void => {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      const imported = baseName(path);
      if (kind !== 'import-statement' || names.has(imported)) continue;
      names.add(imported);
      add(imported);
    }
  };
  add(script);
  return [...names];
}

/** Returns name and text of every source, and the installed packages. */
function stateOfSources(): string {
  const hash = createHash('sha256').update(JSON.stringify(OPTIONS)).update(MANIFESTS);
  for (const file of ['package-lock.json', 'src/adapters/terminal-files.ts']) hash.update(readFileSync(join(ROOT, file)));
  const add = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) add(path);
      else hash.update(`${relative(ROOT, path)}\n`).update(readFileSync(path));
    }
  };
  for (const room of ROOMS) add(join(ROOT, room));
  return hash.digest('hex').slice(0, 24);
}

function readKept(folder: string): TerminalFiles {
  const index = JSON.parse(readFileSync(join(folder, INDEX), 'utf8')) as Omit<TerminalFiles, 'files'>;
  const names = readdirSync(folder).filter((name) => name !== INDEX);
  return { ...index, files: names.map((name) => ({ name, content: readFileSync(join(folder, name)) })) };
}

/** Stores a bundle for the next process, if the folder is writable, and removes old ones. */
function keep({ files, ...index }: TerminalFiles, folder: string): void {
  try {
    mkdirSync(CACHE, { recursive: true });
    removeOlder();
    const draft = mkdtempSync(join(CACHE, '.draft-'));
    // The service's operator must be able to read it, and a new folder is private to its creator.
    chmodSync(draft, 0o755);
    for (const { name, content } of files) writeFileSync(join(draft, name), content);
    writeFileSync(join(draft, INDEX), JSON.stringify(index));
    try {
      renameSync(draft, folder);
    } catch {
      // Another process was faster.
      rmSync(draft, { recursive: true, force: true });
    }
  } catch {
    // Not writable: the next process bundles again.
  }
}

function removeOlder(): void {
  const made = readdirSync(CACHE).map((name) => ({ folder: join(CACHE, name), at: statSync(join(CACHE, name)).mtimeMs }));
  for (const { folder } of made.sort((a, b) => b.at - a.at).slice(KEPT)) rmSync(folder, { recursive: true, force: true });
}
