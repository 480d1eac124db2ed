/** Reads the records of a CSV file with any line endings, without interpreting fields. */
import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** Maximum characters of a record; longer ones are errors. */
const MAX_RECORD_CHARACTERS = 4_096;
/** Records per yield: yielding each record costs more than reading it. */
const STEP = 1_000;

/** Thrown if the text is not CSV. */
export class CsvFault extends Error {}

/** Record with its fields and its line number from 1. No field spans lines. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads UTF-8 bytes as batches of records. Lines end with LF, CR LF or CR. Skips a byte order mark and empty lines. Records may have any
 * number of fields. Quotes are ordinary characters. @throws CsvFault for invalid UTF-8 or a record above 4096 characters; and errors of the
 * byte stream
 */
export async function* csvRecords(bytes: Readable): AsyncGenerator<readonly CsvRecord[]> {
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A stray quote must invalidate only its own row. Readers strip quotes around fields.
    quote: null,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  // Errors reach the caller through the iteration below.
  pipeline(bytes, decoded, parser, () => {});
  let records: CsvRecord[] = [];
  let line = 0;
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      line++;
      if (fields.length === 1 && (fields[0] as string).trim() === '') continue;
      records.push({ line, fields });
      if (records.length < STEP) continue;
      yield records;
      records = [];
    }
  } catch (error) {
    if (error instanceof CsvError) throw new CsvFault(describeFault(error));
    throw error;
  } finally {
    bytes.destroy();
  }
  if (records.length > 0) yield records;
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new CsvFault('is no UTF-8 text');
    throw error;
  }
}

function describeFault({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `has a line of more than ${MAX_RECORD_CHARACTERS} characters: it is no CSV of prices`;
  return `is no CSV: ${message}`;
}
