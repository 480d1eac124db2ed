/** `sevengate books`: corrects books, by the login that owns the tables. */
import type { Command } from 'commander';
import type { Service } from '../ports.ts';
import { withWriterDatabase } from '../service-database.ts';

export function booksCommands(books: Command, service: Service): void {
  books
    .command('correct')
    .description('pay out the cash of manual books, each by a correcting entry, and list the payments')
    .option('--json', 'print the result as JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const [{ correctManualBooks }, { databaseClock }] = await Promise.all([
        import('../../adapters/store/books/book-store.ts'),
        import('../../adapters/store/simulated-time.ts'),
      ]);
      const corrected = await withWriterDatabase(
        service,
        'sevengate books',
        async (sql) => {
          const clock = await databaseClock(sql);
          return sql.begin((transaction) => correctManualBooks(transaction, clock.now()));
        },
        'worker',
      );
      const lines = corrected.map(({ bookId, cashUsd }) => `${bookId}  ${cashUsd} USD paid out`);
      const text = lines.length === 0 ? ['No manual book holds cash.'] : lines;
      process.stdout.write(json ? `${JSON.stringify(corrected)}\n` : text.map((line) => `${line}\n`).join(''));
    });
}
