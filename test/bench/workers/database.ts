/**
 * D1 for the bench: the binding's protocol over one object's SQLite, and nothing else. The development tools' own
 * stand-in checks every query and answer against schemas, which would cost more than what is measured.
 */
import { DurableObject } from "cloudflare:workers";

interface Query {
  sql: string;
  params?: SqlStorageValue[];
}

export class Database extends DurableObject {
  /** One statement or a batch; a batch is one transaction. */
  override async fetch(request: Request): Promise<Response> {
    const asked = await request.json<Query | Query[]>();
    const format = new URL(request.url).searchParams.get("resultsFormat");
    try {
      const results = this.ctx.storage.transactionSync(() => [asked].flat().map((query) => this.#run(query, format)));
      return Response.json(results);
    } catch (error) {
      return Response.json({ success: false, error: String(error) }, { status: 500 });
    }
  }

  #run({ sql, params = [] }: Query, format: string | null): object {
    const cursor = this.ctx.storage.sql.exec(sql, ...params);
    const columns = cursor.columnNames;
    const results = format === "ROWS_AND_COLUMNS" ? { columns, rows: [...cursor.raw()] } : cursor.toArray();
    const { rowsRead: rows_read, rowsWritten: rows_written } = cursor;
    const changes = rows_written === 0 ? 0 : this.#changes();
    return { success: true, results, meta: { duration: 0, changes, rows_read, rows_written } };
  }

  /** Rows that the last statement changed: those of its indexes, which count as written, are none. */
  #changes(): number {
    return this.ctx.storage.sql.exec<{ changes: number }>("SELECT changes() AS changes").one().changes;
  }
}

interface Bindings {
  DATABASE: DurableObjectNamespace<Database>;
}

export default {
  fetch: (request, env) => env.DATABASE.getByName("bench").fetch(request),
} satisfies ExportedHandler<Bindings>;
