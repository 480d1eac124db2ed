/** Commands of a document, typed as its reader types them: in bash, as members of one organization of the shared service. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EXAMPLE_MEMBERS } from '../../src/sandbox/example-organization.ts';
import type { SharedService } from './shared-service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = `${process.execPath} ${join(ROOT, 'src/boot/sevengate.mjs')}`;
const FUNCTIONS = `. ${join(ROOT, 'docs/guides/sandbox.sh')}`;

export interface Terminal {
  /** Folder in which the commands are typed. */
  readonly folder: string;
  /** Answers what they print. Rejects if one of them fails. */
  type(commands: string): Promise<string>;
  close(): void;
}

/** Opens a terminal whose functions read the tokens of this organization, not of that which the service was started with. */
export function openTerminal(service: SharedService): Terminal {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  mkdirSync(join(folder, 'tokens'));
  for (const { subject } of EXAMPLE_MEMBERS) writeFileSync(join(folder, 'tokens', `${subject}.token`), service.token(subject));
  for (const file of ['sandbox.json', 'service.json']) copyFileSync(join(service.home, file), join(folder, file));
  const env = { ...process.env, SEVENGATE_HOME: folder, U: service.url };
  return {
    folder,
    async type(commands) {
      const typed = commands.replace('. docs/guides/sandbox.sh', FUNCTIONS).replaceAll('npx sevengate', COMMAND);
      const script = typed.includes(FUNCTIONS) ? typed : `${FUNCTIONS}\n${typed}`;
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-eu', '-c', script], { cwd: folder, env });
      return stdout;
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** The commands under a heading of a page, for example of `README.md`. @throws Error if there are none. */
export function commandsUnder(page: string, title: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const [, commands] = new RegExp(`^## ${title}\\n[\\s\\S]*?\`\`\`sh\\n([\\s\\S]*?)\`\`\``, 'm').exec(text) ?? [];
  if (commands === undefined) throw new Error(`${page} has no commands under "${title}"`);
  return commands;
}
