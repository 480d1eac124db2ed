/** Records of a CSV file as they come, with any line endings. Their reader interprets the fields. */
import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** A longer record is no row of prices. */
const MAX_RECORD_CHARACTERS = 4_096;
/** Records of one step: a step for each costs more than the record. */
const STEP = 1_000;

/** Error of a text that is not CSV. */
export class CsvFault extends Error {}

/** One record: its fields, and the number of its line from 1 (no field spans lines). */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads UTF-8 bytes as records, many at a time. Lines end with LF, CR LF or CR alone; a byte order mark is left out, and
 * so are empty lines. Records may have any number of fields. A quote is a character like others: no field spans lines.
 * @throws CsvFault for what is no UTF-8 or has a record of more than 4096 characters; and what the bytes' own stream throws.
 */
export async function* csvRecords(bytes: Readable): AsyncGenerator<readonly CsvRecord[]> {
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A stray quote must cost its own row, not the rest of the file; readers take off those around a field.
    quote: null,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  // The failure of a part is the failure of the iteration below.
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
    if (error instanceof CsvError) throw new CsvFault(faultOf(error));
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

function faultOf({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `has a line of more than ${MAX_RECORD_CHARACTERS} characters: it is no CSV of prices`;
  return `is no CSV: ${message}`;
}
