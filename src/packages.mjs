/** Makes sure that the packages of package-lock.json are installed, before anything imports one. Needs nothing but Node.js. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const OLDEST_NODE = [20, 19];
/** Without npm's warnings: of packages that name a later Node.js, or that are deprecated, nobody who installs can act on one. */
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
/** Another process's installation may take this long before it counts as hung, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;

/** The sentence that refuses a too old Node.js, or null. */
export function refusalOfNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return null;
  return `Sevengate needs Node.js ${OLDEST_NODE.join('.')} or later (24 recommended), and this is ${version}: see https://nodejs.org`;
}

/**
 * Returns why the packages under `root` differ from the lock file, or null if they match. It compares with the list that npm writes as its
 * last step, so a half-finished installation does not count and one made by hand is accepted.
 */
export function whyPackagesDiffer(root, { withTools = true } = {}) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (!wanted) return `${join(root, 'package-lock.json')} is missing or broken`;
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return 'not installed yet';
  for (const [path, entry] of Object.entries(wanted)) {
    // Optional ones are for other machines, or this machine's registry lacks them.
    if (path === '' || entry.optional || (entry.dev && !withTools)) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (!installed[path] || !existsSync(join(root, path))) return `${name} is missing`;
    if (installed[path].version !== entry.version) return `${name} is ${installed[path].version} instead of ${entry.version}`;
  }
  return null;
}

/**
 * The call of npm that brings what is missing. Tools are added to what is there: a service may be running on it.
 */
function installation(root, withTools) {
  if (!withTools) return ['ci', '--omit=dev', ...QUIETLY];
  return whyPackagesDiffer(root, { withTools: false }) === null ? ['install', '--no-save', ...QUIETLY] : ['ci', ...QUIETLY];
}

/**
 * Installs what is missing under `root`, with the packages of tests and other tools unless `withTools` is false; two processes
 * at once install once. `say` gets the progress, line by line.
 * @throws Error in one sentence where Node.js is too old or npm fails.
 */
export async function ensurePackages(root, { withTools = true, say = (line) => process.stderr.write(`${line}\n`), npm = ['npm'] } = {}) {
  const refusal = refusalOfNode(process.versions.node);
  if (refusal) throw new Error(refusal);
  if (whyPackagesDiffer(root, { withTools }) === null) return;
  const unlock = await lock(root, say);
  try {
    const why = whyPackagesDiffer(root, { withTools });
    if (why === null) return;
    say(`installing packages (${why}); this takes a minute ...`);
    await run([...npm, ...installation(root, withTools)], root);
    const left = whyPackagesDiffer(root, { withTools });
    if (left !== null) throw new Error(`npm ended well, but the packages still differ from package-lock.json: ${left}`);
    say('packages installed');
  } finally {
    unlock();
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** A folder is made by one process only. It lies outside the project, because npm empties node_modules and git watches the rest. */
async function lock(root, say) {
  const folder = join(tmpdir(), `sevengate-install-${userInfo().uid}-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  const holder = join(folder, 'pid');
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let told = false; ; ) {
    try {
      mkdirSync(folder);
      writeFileSync(holder, String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(folder, holder)) rmSync(folder, { recursive: true, force: true });
    else if (Date.now() > giveUpAt)
      throw new Error(`another process has been installing packages for too long: end it, or remove ${folder}`);
    else {
      if (!told) say('another process is installing the packages; waiting for it ...');
      told = true;
      await pause(200);
    }
  }
}

function isAbandoned(folder, holder) {
  try {
    process.kill(Number(readFileSync(holder, 'utf8')) || -1e9, 0);
    return false;
  } catch (error) {
    if (error.code === 'EPERM') return false;
    if (error.code !== 'ENOENT') return true;
  }
  // Made, but not signed: its maker is about to, or was killed in between.
  try {
    return Date.now() - statSync(folder).mtimeMs > 5_000;
  } catch {
    return false;
  }
}

/** Standard output stays clean for results: what npm says goes to standard error. */
function run([command, ...args], cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2] });
    child.on('error', (error) => reject(new Error(`npm could not be started (${error.message}): it comes with Node.js`)));
    child.on('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`the packages could not be installed (npm ended with ${signal ?? `code ${code}`}); its reason stands above`)),
    );
  });
}
