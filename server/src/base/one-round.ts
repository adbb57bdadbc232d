import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Client } from './db.ts'
import { activeSpan } from './trace.ts'

/** A statement that is prepared once per connection. Buffers are sent in PostgreSQL's binary format, texts as they are. */
export type Statement = {
  /** The same name always has the same text. */
  readonly name: string
  readonly text: string
  readonly values: readonly (Buffer | string)[]
}

/** Sends the statement in the transaction that is open on the connection, or in one of its own. */
export function send(client: Client, { name, text, values }: Statement): Promise<unknown> {
  return client.query({ name, text, values: [...values] })
}

/** The parts of the driver's connection that a round uses. */
type Wire = {
  readonly stream: { readonly write: (bytes: Buffer) => void }
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  readonly submittedNamedStatements: Record<string, string>
}
/** What the driver calls on a query. */
type DriverQuery = {
  readonly name: string
  readonly text: string
  callback: (error: Error | null) => void
  submit(wire: Wire): void
}
const DriverQuery = pg.Query as unknown as new (config: {
  readonly name?: string
  readonly text: string
}) => DriverQuery

/** Parses a statement in a transaction of its own, so that a round that fails does not take it along. */
class Preparation extends DriverQuery {
  override submit(wire: Wire): void {
    wire.submittedNamedStatements[this.name] = this.text
    wire.stream.write(Buffer.concat([serialize.parse({ name: this.name, text: this.text }), serialize.sync()]))
  }
}

/** Statements with one Sync after the last: PostgreSQL runs them as one transaction, which the Sync commits. */
export class Round extends DriverQuery {
  readonly statements: readonly Statement[]
  /** How many statements have run. They are not committed before the Sync. */
  completed = 0
  readonly #bytes: Buffer

  constructor(statements: readonly Statement[]) {
    super({ text: 'round' })
    this.statements = statements
    // All of it before anything is sent: half a round must never be committed.
    const bound = statements.flatMap(({ name, values }) => [
      serialize.bind({ statement: name, values: [...values] }),
      serialize.execute(),
    ])
    this.#bytes = Buffer.concat([...bound, serialize.sync()])
  }

  override submit(wire: Wire): void {
    wire.stream.write(this.#bytes)
  }

  // Rows are not read.
  handleDataRow(): void {}

  handleCommandComplete(): void {
    this.completed++
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  /** The response to the Sync: PostgreSQL has committed. */
  handleReadyForQuery(): void {
    this.callback(null)
  }
}

/** `completed` is how many statements ran before the error, or all of them. */
export type RoundResult = { readonly error: Error | null; readonly completed: number }

/** Runs statements as one transaction in one round trip, and resolves after its commit or its error. */
export function runRound(client: Client, statements: readonly Statement[]): Promise<RoundResult> {
  const wire = (client as unknown as { connection: Wire }).connection
  const span = activeSpan()?.child('round', { 'scrip.statements': statements.map(({ name }) => name) })
  return new Promise((resolve) => {
    const round = new Round(statements)
    round.callback = (error) => {
      span?.end(error ?? undefined)
      resolve({ error, completed: round.completed })
    }
    for (const { name, text } of statements) if (!isPrepared(wire, name)) prepare(client, name, text)
    client.query(round as unknown as pg.Submittable)
  })
}

function isPrepared({ parsedStatements, submittedNamedStatements }: Wire, name: string): boolean {
  return parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined
}

/** If this fails, the round fails too, because the statement is missing. */
function prepare(client: Client, name: string, text: string): void {
  const preparation = new Preparation({ name, text })
  preparation.callback = () => undefined
  client.query(preparation as unknown as pg.Submittable)
}
