/**
 * Fan-out of the feeds compared with a bare `ws` broadcast, in interleaved rounds: 1,000 clients in their own processes,
 * messages of 200 bytes, one and ten per flush. Prints medians of the rounds, the server's processor time per delivery,
 * and the ratios. `node --import tsx bench/feed-fanout.bench.ts [--clients 1000] [--rounds 7] [--json]`
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type WebSocket, WebSocketServer } from 'ws';
import { createFanOut } from '../api/feeds/fan-out.ts';
import { channelFrame, frameText } from '../api/feeds/frames.ts';
import { toFeedClient } from '../api/feeds/socket.ts';
import { createLiveClock } from '../streams/clock/live-clock.ts';

const MESSAGE_BYTES = 200;
const CLIENT_PROCESSES = 2;

if (process.argv[2] === 'clients') receive(Number(process.argv[3]), Number(process.argv[4]));
else await run();

/** Client process: plain TCP after the upgrade that counts bytes, so that it costs the server's core as little as possible. */
function receive(port: number, count: number): void {
  let bytes = 0;
  let target = Number.POSITIVE_INFINITY;
  let upgraded = 0;
  const check = (): void => {
    if (bytes < target) return;
    target = Number.POSITIVE_INFINITY;
    process.send?.({ type: 'received' });
  };
  for (let index = 0; index < count; index++) {
    const socket = net.connect(port, '127.0.0.1');
    let open = false;
    socket.write(
      'GET / HTTP/1.1\r\nhost: bench\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    socket.on('error', () => process.exit(1));
    socket.on('data', (chunk) => {
      if (open) {
        bytes += chunk.length;
        check();
        return;
      }
      // The server sends nothing before everybody has connected: the first chunk is the whole answer to the upgrade.
      open = true;
      if (++upgraded === count) process.send?.({ type: 'open' });
    });
  }
  process.on('message', (message: { expect: number }) => {
    bytes = 0;
    target = message.expect;
    process.send?.({ type: 'ready' });
  });
  process.on('disconnect', () => process.exit(0));
}

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '7' },
      json: { type: 'boolean', default: false },
    },
  });
  const clients = Number(values.clients);
  const rounds = Number(values.rounds);
  const perProcess = clients / CLIENT_PROCESSES;

  const server = createServer();
  const sockets: WebSocket[] = [];
  const listening = new WebSocketServer({ server, perMessageDeflate: false, backlog: 4_096 } as never);
  listening.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
  const port = (server.address() as AddressInfo).port;
  const children = Array.from({ length: CLIENT_PROCESSES }, () =>
    fork(new URL(import.meta.url), ['clients', String(port), String(perProcess)], { execArgv: process.execArgv }),
  );
  const all = (type: string): Promise<unknown> =>
    Promise.all(
      children.map(
        (child) =>
          new Promise<void>((resolve, reject) => {
            const ended = (): void => reject(new Error('a client process ended'));
            const received = (message: { type: string }): void => {
              if (message.type !== type) return;
              child.off('message', received);
              child.off('exit', ended);
              resolve();
            };
            child.once('exit', ended);
            child.on('message', received);
          }),
      ),
    );
  await all('open');

  const clock = createLiveClock();
  const fanOut = createFanOut({ clock, flushMs: 3_600_000, behindBytes: Number.POSITIVE_INFINITY, chunkBytes: Number.POSITIVE_INFINITY });
  const group = fanOut.group();
  for (const socket of sockets) {
    group.join({ client: toFeedClient(socket, null), seq: 1_000_000, position: null, fellBehind: () => {} });
  }
  // Seven digits of `seq` in every frame, so that all frames have the same length on both sides.
  const bare = channelFrame('quotes', 'update', null, clock.now(), '""');
  const padding = 'x'.repeat(MESSAGE_BYTES - frameText(bare, 1_000_000).length);
  const frame = channelFrame('quotes', 'update', null, clock.now(), JSON.stringify(padding));
  const wireBytes = MESSAGE_BYTES + 4;

  const drained = async (): Promise<void> => {
    for (const socket of sockets) while (socket.bufferedAmount > 0) await new Promise((resolve) => setImmediate(resolve));
  };

  let n = 0;
  const ways: { readonly name: string; readonly perFlush: number; flush(): void }[] = [1, 10].flatMap((perFlush) => [
    {
      name: `ws.send x${perFlush}`,
      perFlush,
      flush() {
        for (let index = 0; index < perFlush; index++) {
          const text = frameText(frame, 1_000_000 + (n++ % 8_000_000));
          for (const socket of sockets) socket.send(text);
        }
      },
    },
    {
      name: `fan-out x${perFlush}`,
      perFlush,
      flush() {
        for (let index = 0; index < perFlush; index++) group.offer(frame, null);
        fanOut.flush();
      },
    },
  ]);

  async function measure(way: (typeof ways)[number], flushes: number): Promise<Round> {
    const deliveries = flushes * way.perFlush * clients;
    const ready = all('ready');
    for (const child of children) child.send({ expect: (deliveries / CLIENT_PROCESSES) * wireBytes });
    await ready;
    const received = all('received');
    const cpu = process.cpuUsage();
    const began = process.hrtime.bigint();
    for (let index = 0; index < flushes; index++) {
      way.flush();
      await drained();
    }
    await received;
    const seconds = Number(process.hrtime.bigint() - began) / 1e9;
    const used = process.cpuUsage(cpu);
    return { perSecond: deliveries / seconds, cpuMicros: (used.user + used.system) / deliveries };
  }

  const found = new Map<string, Round[]>(ways.map(({ name }) => [name, []]));
  const flushesOf = (way: (typeof ways)[number]): number => (way.perFlush === 1 ? 60 : way.name.startsWith('ws') ? 12 : 60);
  for (const way of ways) await measure(way, 10);
  for (let round = 0; round < rounds; round++) {
    // Every other round runs in reverse order, so that no contender always follows the same one.
    for (const way of round % 2 === 0 ? ways : [...ways].reverse()) found.get(way.name)?.push(await measure(way, flushesOf(way)));
  }

  const summary = ways.map(({ name, perFlush }) => {
    const own = found.get(name) as Round[];
    const rates = own.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
    const cpus = own.map(({ cpuMicros }) => cpuMicros).sort((a, b) => a - b);
    return {
      name,
      perFlush,
      perSecond: median(rates),
      slowest: rates[0] as number,
      fastest: rates.at(-1) as number,
      cpuMicros: median(cpus),
      cpuSpread: [cpus[0], cpus.at(-1)],
    };
  });
  // Both sides of a ratio come from the same round, so that other load on the machine affects both.
  const ratios = [1, 10].map((perFlush) => {
    const [theirs, ours] = [found.get(`ws.send x${perFlush}`) as Round[], found.get(`fan-out x${perFlush}`) as Round[]];
    const of = (pick: (ours: Round, theirs: Round) => number): number =>
      median(ours.map((round, index) => pick(round, theirs[index] as Round)).sort((a, b) => a - b));
    return { perFlush, rate: of((a, b) => a.perSecond / b.perSecond), cpu: of((a, b) => b.cpuMicros / a.cpuMicros) };
  });
  if (values.json) console.log(JSON.stringify({ clients, messageBytes: MESSAGE_BYTES, rounds, summary, ratios }));
  else {
    console.log(
      `${clients} clients in ${CLIENT_PROCESSES} processes, ${MESSAGE_BYTES} bytes a message, medians of ${rounds} interleaved rounds`,
    );
    for (const { name, perSecond, slowest, fastest, cpuMicros, cpuSpread } of summary) {
      console.log(
        `${name.padEnd(12)} ${thousands(perSecond).padStart(7)} deliveries/s (${thousands(slowest)} to ${thousands(fastest)})  server CPU ${cpuMicros.toFixed(2)} us per delivery (${cpuSpread.map((value) => value?.toFixed(2)).join(' to ')})`,
      );
    }
    for (const { perFlush, rate, cpu } of ratios)
      console.log(
        `fan-out to ws.send at ${perFlush} per flush: ${rate.toFixed(1)}x the deliveries, ${cpu.toFixed(1)}x the deliveries per CPU second`,
      );
  }
  for (const child of children) child.disconnect();
  fanOut.stop();
  for (const socket of sockets) socket.terminate();
  listening.close();
  server.close();
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] as number;
}

function thousands(value: number): string {
  return `${Math.round(value / 1_000)}k`;
}
