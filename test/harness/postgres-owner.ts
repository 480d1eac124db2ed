/** Process that owns an embedded PostgreSQL for a test. On SIGINT it writes one last row before it stops the server. */
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';

const server = await startEmbeddedPostgres({ home: process.argv[2] as string, log: (line) => process.stderr.write(`${line}\n`) });
const sql = postgres(server.url, { max: 1, onnotice: () => {} });
await sql`create table if not exists notes (text text)`;
const alive = setInterval(() => {}, 60_000);

process.once('SIGINT', async () => {
  await sql`insert into notes values ('written after Ctrl-C')`;
  await sql.end();
  await server.stop();
  clearInterval(alive);
  process.stdout.write('stopped\n');
});

process.stdout.write(`${JSON.stringify(server)}\n`);
