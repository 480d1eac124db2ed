/** `sevengate sim`: runs the whole engine with seeded faults, in this process and under virtual time. */
import type { Command } from 'commander';

/** Sets up `sim`. Its last line is the hash of the trace: equal seeds give equal hashes on every machine. */
export function simCommand(command: Command): void {
  command
    .option('--seed <n>', 'seed of prices and faults, a whole number', '1')
    .option('--trace', 'print every fault, decision, fill, proposal and book before the hash')
    .option('--json', 'print seed and hash as JSON')
    .action(async (options: { readonly seed: string; readonly trace?: true; readonly json?: true }) => {
      const seed = Number(options.seed);
      if (!/^\d+$/.test(options.seed) || !Number.isSafeInteger(seed)) throw new Error(`--seed must be a whole number, not ${options.seed}`);
      const [{ traceHash, traceLines }, { simulate }] = await Promise.all([
        import('../../simulation/seeded/trace-lines.ts'),
        import('../../simulation/seeded/simulate.ts'),
      ]);
      const outcome = await simulate(seed);
      const lines = traceLines(outcome);
      if (options.trace === true) for (const line of lines) process.stdout.write(`${line}\n`);
      const hash = traceHash(lines);
      process.stdout.write(options.json === true ? `${JSON.stringify({ seed, hash })}\n` : `seed ${seed} ${hash}\n`);
      if (outcome.failures.length > 0) throw new Error(`the run threw: ${String(outcome.failures[0])}`);
    });
}
