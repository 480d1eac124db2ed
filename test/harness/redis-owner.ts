/** Process that owns an embedded Redis for a test. On SIGINT it writes one last key before it stops the server. */
import { Redis } from 'ioredis';
import { findRedisServer, startEmbeddedRedis } from '../../src/adapters/queue/embedded-redis.ts';

const found = findRedisServer(process.env['PATH'] ?? '');
if (!found) throw new Error('no redis-server');
const server = await startEmbeddedRedis({
  home: process.argv[2] as string,
  server: found,
  log: (line) => process.stderr.write(`${line}\n`),
});
const redis = new Redis(server.url);

process.once('SIGINT', async () => {
  await redis.set('note', 'written after Ctrl-C');
  await redis.quit();
  await server.stop();
  process.stdout.write('stopped\n');
});

process.stdout.write(`${JSON.stringify(server)}\n`);
