// Imports and packages permitted to each room.
import { expect, test } from 'vitest';
import { files, product } from './source.ts';

const NODE = /^node:/;
// Room, our rooms that it may import, and permitted packages.
const TABLE: readonly [room: string, ours: readonly string[], packages: readonly (string | RegExp)[]][] = [
  ['src/domain', [], ['decimal.js', 'node:crypto', '@scure/base']],
  ['src/core', ['src/domain'], ['typebox']],
  ['streams', ['src/domain'], ['rxjs']],
  ['actors', ['src/domain', 'src/core', 'streams'], ['rxjs', 'xstate', 'typebox']],
  ['src/trading', ['src/domain', 'src/core', 'streams', 'actors'], []],
  ['src/simulation', ['src/domain', 'streams', 'actors', 'src/trading'], ['node:crypto', 'node:worker_threads', 'rxjs']],
  [
    'src/adapters',
    ['src/domain', 'src/core', 'streams'],
    [
      NODE,
      'ws',
      'ioredis',
      'bullmq',
      'pg',
      'postgres',
      'jose',
      '@solana/web3.js',
      '@noble/curves',
      'viem',
      'rxjs',
      'typebox',
      'undici',
      'csv-parse',
      'eventsource-parser',
      'decimal.js',
      'elkjs',
      'esbuild',
      'prom-client',
      'pino',
      'cli-progress',
    ],
  ],
  ['src/sandbox', ['src/domain', 'streams'], [/./]],
  [
    'api',
    ['src/domain', 'src/core', 'streams', 'actors', 'src/trading'],
    [
      NODE,
      'rxjs',
      /^fastify$|^@fastify\/|^@modelcontextprotocol\//,
      'typebox',
      'ws',
      'js-yaml',
      'rate-limiter-flexible',
      'fast-json-stringify',
    ],
  ],
  ['clients', [], [NODE, 'eventsource-parser']],
  ['src/cli', ['src/domain', 'streams', 'actors', 'src/trading', 'src/simulation', 'src/adapters', 'api', 'clients'], [NODE, 'commander']],
  ['src/boot', ['src', 'streams', 'actors', 'api', 'web', 'migrations'], [/./]],
];
// Rooms of which a room may import types only: adapters implement the ports of actors (and run their resources), and the
// API, trading and simulations name types of adapters, which boot passes to them.
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  'src/adapters': ['actors'],
  'src/trading': ['src/adapters'],
  'src/simulation': ['src/adapters'],
  api: ['src/adapters'],
};
const RESOURCE = /^actors\/[a-z-]+\/resource\.ts$/;

test.each(TABLE)('%s imports only what the table allows', (room, ours, packages) => {
  const within = (path: string, folder: string) => path.startsWith(`${folder}/`);
  const broken = product
    .filter(({ path }) => within(path, room))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ own, from, typeOnly }) =>
          own
            ? !(room === 'src/adapters' && RESOURCE.test(from)) &&
              ![room, ...ours, ...(typeOnly ? (TYPES_ONLY[room] ?? []) : [])].some((folder) => within(from, folder))
            : !packages.some((one) => (one instanceof RegExp ? one.test(from) : one === from)),
        )
        .map(({ from }) => `${path} imports ${from}`),
    );
  expect(broken).toEqual([]);
});

test('every file of the product stands in a room of the table', () => {
  expect(product.filter(({ path }) => !TABLE.some(([room]) => path.startsWith(`${room}/`))).map(({ path }) => path)).toEqual([]);
});

test('nothing that ships imports a test', () => {
  expect(
    files
      .filter(({ path, imports }) => !/^(test|bench)\//.test(path) && imports.some(({ own, from }) => own && /^(test|bench)\//.test(from)))
      .map(({ path }) => path),
  ).toEqual([]);
});
