/** `sevengate keys`: replaces a writer's signing key, for example after a leak. */
import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { openWriterKeys, setKeyAside } from '../../adapters/signing-keys/writer-keys.ts';
import { WRITERS, type Writer } from '../../domain/trail/batch.ts';
import type { Service } from '../ports.ts';
import { serviceDatabase } from '../service-database.ts';
import { print } from '../words.ts';

interface Options {
  readonly reason: string;
  readonly json?: true;
}

export function writerKeyCommands(keys: Command, service: Service): void {
  keys
    .command('rotate')
    .description(
      'replace the key of a writer: sessions and signatures of the one before count no more, and what it signed stays verifiable',
    )
    .addArgument(new Argument('<writer>', 'whose key is replaced').choices(WRITERS))
    .requiredOption('--reason <text>', 'reason, one line, recorded')
    .option('--json', 'print the result as JSON')
    .action((writer: Writer, options: Options) => rotate(service, writer, options));
}

async function rotate(service: Service, writer: Writer, { reason, json }: Options): Promise<void> {
  const why = reason.trim();
  if (why.length < 3 || why.length > 500 || why.includes('\n')) throw new Error('--reason: give one line of 3 to 500 characters');
  const home = resolve(service.settings().SEVENGATE_HOME);
  const { url, close } = await serviceDatabase(service);
  try {
    setKeyAside(home, writer);
    const fresh = openWriterKeys(home, [writer])[writer];
    const { replaceWriter } = await import('../../adapters/store/trail/writer-registry.ts');
    const retired = await replaceWriter(url, fresh, why);
    const text = `the ${writer} signs with key ${fresh.id}; retired: ${retired.join(', ') || 'none'}. Start its processes again: they sign with the old key until then, which is refused.`;
    print(json ? JSON.stringify({ writer, key: fresh.id, retired }) : text);
  } finally {
    await close();
  }
}
