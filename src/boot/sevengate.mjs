#!/usr/bin/env node
/** Command: installs missing dependencies, then runs the command line in this process. */
import './early-secrets.mjs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from '../packages.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

try {
  await ensurePackages(root, { withTools: false });
} catch (error) {
  process.stderr.write(`sevengate: ${error.message}\n`);
  process.exit(1);
}
// Runs in this process and not in a child, so that signals, standard streams and the exit code need no relay.
const { loadSource } = await import('../load-sources.mjs');
await loadSource(new URL('./cli.ts', import.meta.url));
