/** Loads the sources as plain JavaScript: compiled together, once for each state of them, instead of file by file at every start. */
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folders whose changes cause a new compilation. */
const ROOMS = ['src', 'streams', 'actors', 'api', 'clients/typescript'];
/** Entry points of the service's processes and threads. Their shared code is compiled once. */
export const ENTRIES = [
  'src/boot/cli.ts',
  'src/boot/signer/signer-work.ts',
  'src/boot/threads/emergency-server.ts',
  'src/boot/threads/backtest-worker.ts',
  'src/simulation/stress/stress-worker.ts',
  'src/simulation/sweep/trial-worker.ts',
];
/**
 * Packages of many small files, which are compiled with ours. None of them reads a file beside its own, and none keeps
 * state that a second copy of it, imported by a package outside of this list, would miss.
 */
const COMPILED_PACKAGES = [
  '@fastify/cookie',
  '@fastify/cors',
  '@fastify/helmet',
  '@fastify/websocket',
  '@noble/curves',
  '@scure/base',
  '@solana/kit',
  '@solana/web3.js',
  'csv-parse',
  'decimal.js',
  'eventsource-parser',
  'fast-json-stringify',
  'fastify',
  'jose',
  'js-yaml',
  'postgres',
  'prom-client',
  'rate-limiter-flexible',
  'rxjs',
  'typebox',
  'viem',
  'xstate',
];
/** Native or optional packages of the ones above, looked for when they are wanted, and one that starts a thread from a file beside its own. */
const NEVER_COMPILED = ['bufferutil', 'pino', 'utf-8-validate', 'ws'];
/** Folders whose last user is gone are removed after this long, in milliseconds. */
const KEPT_MS = 3_600_000;
/** Interval of the question whether another process has compiled, and time after which it is not waited for, in milliseconds. */
const ASK_MS = 20;
const LONGEST_COMPILATION_MS = 120_000;

/**
 * Imports a file of the sources, which must be one of `entries`: paths from the project's folder.
 * `rooms` are the folders that the entries are made of.
 */
export async function loadSource(url, { entries = ENTRIES, rooms = ROOMS } = {}) {
  const folder = await compiledSources({ entries, rooms });
  nameSourcesIn(folder);
  const path = relative(ROOT, fileURLToPath(url)).replace(/\.ts$/, '.js');
  return import(pathToFileURL(join(folder, path)).href);
}

/**
 * Makes stacks name lines of the sources. Node's own way reads and keeps the maps of all modules, those of packages too, at every start;
 * here a map is read when an error of its file is looked at.
 */
function nameSourcesIn(folder) {
  const maps = new Map();
  const readMap = (path) => {
    if (!maps.has(path)) {
      let map = null;
      try {
        map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
      } catch {
        // The line of the compiled file says something as well.
      }
      maps.set(path, map);
    }
    return maps.get(path);
  };
  const begin = pathToFileURL(folder).href;
  const named = (site) =>
    String(site).replace(/(file:[^\s()]+):(\d+):(\d+)/, (place, url, line, column) => {
      if (!url.startsWith(begin)) return place;
      const path = fileURLToPath(url);
      const { originalSource, originalLine, originalColumn } = readMap(path)?.findEntry(line - 1, column - 1) ?? {};
      return originalSource === undefined ? place : `${join(dirname(path), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
    });
  Error.prepareStackTrace = (error, sites) => [firstLine(error), ...sites.map((site) => `    at ${named(site)}`)].join('\n');
}

/** The first line of a stack; of an error that cannot say it, as V8 does. */
function firstLine(error) {
  try {
    return String(error);
  } catch {
    return '<error>';
  }
}

/**
 * Returns the folder of the compiled current sources, and compiles them if it does not exist. Threads of a process run what the process
 * runs, even if the files have changed since, and need not read them again.
 */
export async function compiledSources({ entries = ENTRIES, rooms = ROOMS } = {}) {
  const key = JSON.stringify([ROOT, entries, rooms]);
  const ofThisProcess = getEnvironmentData(key);
  if (ofThisProcess !== undefined) return ofThisProcess;
  const folder = await currentSources(entries, rooms);
  setEnvironmentData(key, folder);
  return folder;
}

async function currentSources(entries, rooms) {
  const state = hashSources(entries, rooms);
  const cache = join(ROOT, 'node_modules', '.cache', 'sevengate');
  const folder = join(cache, state);
  if (!existsSync(folder)) {
    if (!may(join(ROOT, 'node_modules'), constants.W_OK)) return compiledForThisProcess(entries);
    mkdirSync(cache, { recursive: true });
    removeUnused(cache);
    await compileOnce(entries, folder);
  }
  // Another user of this machine keeps what he compiled to himself.
  if (!may(folder, constants.R_OK | constants.X_OK)) return compiledForThisProcess(entries);
  use(folder);
  return folder;
}

/** Compiles into a folder, unless another thread or process is doing so: then it waits for that. */
async function compileOnce(entries, folder) {
  const lock = `${folder}.lock`;
  while (!claim(lock)) {
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    if (existsSync(folder)) return;
  }
  const draft = mkdtempSync(join(dirname(folder), '.draft-'));
  try {
    // It may have been completed just before the claim.
    if (existsSync(folder)) return;
    // The operator of the service reads it. A folder made here is its maker's alone.
    chmodSync(draft, 0o755);
    await compile(entries, draft);
    mkdirSync(join(draft, 'users'));
    renameSync(draft, folder);
  } catch (error) {
    // One that was not waited for any more was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

/** Writes the file that says who compiles. Returns false if it exists; a file of a dead process, or a very old one, is removed. */
function claim(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const isOver = Date.now() - statSync(lock).mtimeMs > LONGEST_COMPILATION_MS || !isAlive(readFileSync(lock, 'utf8'));
    if (isOver) rmSync(lock, { force: true });
  } catch {
    // Its maker has just ended.
  }
  return false;
}

/** Compiles into a private folder for the life of this process, if nothing can be kept. */
async function compiledForThisProcess(entries) {
  const folder = mkdtempSync(join(tmpdir(), 'sevengate-sources-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await compile(entries, folder);
  return folder;
}

/**
 * Hashes the name and content of every source file, and the installed packages. Modification times are ignored, because images and archives
 * round them.
 */
function hashSources(entries, rooms) {
  const hash = createHash('sha256').update(JSON.stringify([ROOT, process.versions.node, entries, COMPILED_PACKAGES]));
  hash.update(readFileSync(join(ROOT, 'package-lock.json')));
  const add = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) add(path);
      else if (/\.(ts|mjs|json)$/.test(entry.name)) {
        const text = readFileSync(path);
        hash.update(`${path} ${text.length}\n`).update(text);
      }
    }
  };
  for (const room of rooms) add(join(ROOT, room));
  return hash.digest('hex').slice(0, 24);
}

async function compile(entries, folder) {
  const esbuild = await import('esbuild');
  try {
    await esbuild.build({
      absWorkingDir: ROOT,
      entryPoints: entries,
      outbase: ROOT,
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: `node${process.versions.node}`,
      sourcemap: 'linked',
      sourcesContent: false,
      // The text of every loaded file stays in memory.
      minifyWhitespace: true,
      logLevel: 'error',
      // CommonJS among the compiled packages loads Node's own modules by `require`.
      banner: {
        js: "import { createRequire as requireOfCompiled } from 'node:module'; const require = requireOfCompiled(import.meta.url);",
      },
      plugins: [PACKAGES, PLACES],
    });
  } finally {
    // Its process would live as long as this one.
    await esbuild.stop();
  }
}

/** Compiles the packages of the list and what they are made of; the others are imported from where they are installed. */
const PACKAGES = {
  name: 'packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined;
      const name = path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/');
      const isOurs = !importer.includes(`${join(ROOT, 'node_modules')}/`);
      const compiled = isOurs ? COMPILED_PACKAGES.includes(name) : !NEVER_COMPILED.includes(name);
      return compiled ? undefined : { path, external: true };
    });
  },
};

/** A file finds what lies beside it by its own place, not by that of the compiled one. */
const PLACES = {
  name: 'places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
    });
  },
};

function may(folder, access) {
  try {
    accessSync(folder, access);
    return true;
  } catch {
    return false;
  }
}

/** A process may load a part of the sources late: while it lives its folder stays. */
function use(folder) {
  try {
    writeFileSync(join(folder, 'users', String(process.pid)), '');
  } catch {
    // Made by another user of this machine, who keeps it.
  }
}

function removeUnused(cache) {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    try {
      const users = existsSync(join(folder, 'users')) ? readdirSync(join(folder, 'users')) : [];
      const lastUse = Math.max(statSync(folder).mtimeMs, ...users.map((pid) => statSync(join(folder, 'users', pid)).mtimeMs));
      if (Date.now() - lastUse > KEPT_MS && !users.some(isAlive)) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Being removed by another process.
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
