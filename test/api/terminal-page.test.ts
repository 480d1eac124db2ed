// Terminal page after an update: it is bundled at the first visit, which is answered at once and reloads.
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { registerTerminal } from '../../api/terminal.ts';
import type { TerminalFiles } from '../../src/adapters/terminal-files.ts';

const FILES: TerminalFiles = {
  script: 'main-A.js',
  style: 'terminal-A.css',
  preloaded: [],
  files: [
    { name: 'main-A.js', content: Buffer.from('1') },
    { name: 'terminal-A.css', content: Buffer.from('') },
  ],
};
let app: FastifyInstance;
afterEach(() => app.close());

function terminal(kept: TerminalFiles | null) {
  const bundlings: { readonly done: (files: TerminalFiles) => void; readonly failed: (why: Error) => void }[] = [];
  app = fastify();
  registerTerminal(app, { kept: () => kept, bundle: () => new Promise((done, failed) => bundlings.push({ done, failed })) });
  return { bundlings, visit: (url = '/terminal') => app.inject({ url }) };
}

test('stored files are served at the first visit', async () => {
  const { visit, bundlings } = terminal(FILES);
  expect((await visit()).body).toContain('/terminal/main-A.js');
  const file = await visit('/terminal/main-A.js');
  expect(file.body).toBe('1');
  // Its name changes with its content.
  expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(bundlings).toHaveLength(0);
});

test('the page reloads while it is bundled, and starts no second bundling', async () => {
  const { visit, bundlings } = terminal(null);
  for (let visits = 0; visits < 3; visits++) {
    const { statusCode, body, headers } = await visit();
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toContain('/terminal/wait.js');
  }
  expect((await visit('/terminal/wait.js')).body).toContain('location.reload()');
  expect(bundlings).toHaveLength(1);
  bundlings[0]?.done(FILES);
  await expect.poll(async () => (await visit()).body).toContain('/terminal/main-A.js');
  expect(bundlings).toHaveLength(1);
});

test('a failed bundling is reported once, and retried at the next visit', async () => {
  const { visit, bundlings } = terminal(null);
  await visit();
  bundlings[0]?.failed(new Error('main.tsx does not compile'));
  await expect.poll(async () => (await visit()).body).toContain('does not compile');
  expect((await visit()).body).toContain('/terminal/wait.js');
  expect(bundlings).toHaveLength(2);
});
