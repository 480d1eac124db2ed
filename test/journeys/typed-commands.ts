/** Runs the commands of a document in bash, as its reader would. */
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
  /** Returns the output. Rejects if a command fails. */
  type(commands: string): Promise<string>;
  close(): void;
}

/** Opens a terminal whose functions read this organization's tokens instead of those of the service's start. */
export function openTerminal(service: SharedService): Terminal {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  mkdirSync(join(folder, 'tokens'));
  for (const { subject } of EXAMPLE_MEMBERS) writeFileSync(join(folder, 'tokens', `${subject}.token`), service.token(subject));
  for (const file of ['sandbox.json', 'service.json']) copyFileSync(join(service.home, file), join(folder, file));
  return {
    folder,
    type: (commands) => typeCommands(commands, { folder, home: folder, url: service.url }),
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** Types commands in a folder against the service of a state folder, and returns the output. Rejects if one of them fails. */
export async function typeCommands(
  commands: string,
  { folder, home, url }: { readonly folder: string; readonly home: string; readonly url: string },
): Promise<string> {
  const typed = commands.replaceAll('. docs/guides/sandbox.sh', FUNCTIONS).replaceAll('npx sevengate', COMMAND);
  const script = typed.includes(FUNCTIONS) ? typed : `${FUNCTIONS}\n${typed}`;
  const env = { ...process.env, SEVENGATE_HOME: home, U: url };
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-eu', '-c', script], { cwd: folder, env, maxBuffer: 2 ** 26 });
  return stdout;
}

/** Returns the commands of a page with their headings, in order. */
export function commandsOf(page: string): readonly { readonly heading: string; readonly commands: string }[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(({ index, 1: commands = '' }) => ({
    // Comments of commands start like headings.
    heading:
      [
        ...text
          .slice(0, index)
          .replace(/^```[\s\S]*?^```/gm, '')
          .matchAll(/^#+ (.+)$/gm),
      ].at(-1)?.[1] ?? '',
    commands,
  }));
}

/** Returns the first commands under a heading of a page, such as `README.md`. @throws Error if there are none. */
export function commandsUnder(page: string, title: string): string {
  const found = commandsOf(page).find(({ heading }) => heading === title);
  if (found === undefined) throw new Error(`${page} has no commands under "${title}"`);
  return found.commands;
}
