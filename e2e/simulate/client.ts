// The driver's side of a connection to the simulated PostgreSQL, and the session at its other end.
import { EventEmitter } from 'node:events'
import type { Round } from '../../server/src/base/one-round.ts'
import { brokenConnection } from './errors.ts'
import type { Fault, StatementKind } from './faults.ts'
import { kindOf, runStatement, type Session, type Statement } from './statements.ts'
import type { VirtualTime } from './virtual-time.ts'

export type Network = {
  readonly time: VirtualTime
  readonly latencyMs: () => number
  /** The fault that strikes the next statement of a kind, if any. */
  readonly strike: (kind: StatementKind) => Fault | undefined
  readonly onStatement: () => void
  readonly onGone: (client: Client) => void
}

/** How a round ended. */
type Outcome = { isLost: boolean; isUnconfirmed: boolean; readonly error?: unknown }

type Settle = { readonly resolve: (result: unknown) => void; readonly reject: (error: unknown) => void }

const responseTimeoutMs = 5_000
// PostgreSQL ends a transaction whose client is silent for this long.
const idleTimeoutMs = 5_000

/** By its form: planted bugs are in copies of the sources, which have classes of their own. */
function isRound(input: string | Statement | Round): input is Round {
  return typeof input === 'object' && 'statements' in input
}

export class Client extends EventEmitter {
  /** Statements are corked to share a packet. Here each is a packet of its own. */
  readonly connection = {
    stream: { cork: (): void => undefined, uncork: (): void => undefined },
    // Every statement counts as prepared.
    parsedStatements: new Proxy({}, { get: () => 'prepared' }),
    submittedNamedStatements: {},
  }
  readonly #network: Network
  readonly #session: Session
  readonly #pending = new Set<Settle>()
  #work: Promise<void> = Promise.resolve()
  #arrivesMs = 0
  #isBroken = false

  constructor(network: Network, session: Session) {
    super()
    this.#network = network
    this.#session = session
  }

  query(input: string | Statement | Round, values: readonly unknown[] = []): Promise<unknown> {
    if (isRound(input)) return this.#queryRound(input)
    const statement: Statement = typeof input === 'string' ? { text: input, values } : input
    this.#network.onStatement()
    return new Promise((resolve, reject) => {
      if (this.#isBroken) {
        reject(brokenConnection())
        return
      }
      this.#send(statement, { resolve, reject })
    })
  }

  #send(sent: Statement | Round, settle: Settle): void {
    const { time, latencyMs } = this.#network
    this.#pending.add(settle)
    time.after(responseTimeoutMs, () => {
      if (this.#pending.delete(settle)) settle.reject(new Error('Query read timeout'))
    })
    // Statements of a connection arrive in the order in which they were sent.
    this.#arrivesMs = Math.max(this.#arrivesMs, time.nowMs() + latencyMs())
    time.after(this.#arrivesMs - time.nowMs(), () => {
      this.#work = this.#work.then(() =>
        isRound(sent) ? this.#respondToRound(sent, settle) : this.#execute(sent, settle),
      )
    })
  }

  async #execute(statement: Statement, settle: Settle): Promise<void> {
    const { time, strike, latencyMs } = this.#network
    if (this.#isBroken) return
    const fault = strike(kindOf(statement))
    if (fault?.kind === 'lost request') {
      // A client whose packets vanish is noticed by the server after its timeout, one that resets the connection at once.
      this.break(fault.ms > 300 ? idleTimeoutMs : 0)
      return
    }
    if (fault?.kind === 'slow' || fault?.kind === 'hang') await time.sleep(fault.ms)
    const respond = await runStatement(this.#session, statement, fault).then(
      (result) => () => settle.resolve(result),
      (error: unknown) => () => settle.reject(error),
    )
    if (fault?.kind === 'lost response') {
      this.break(0)
      return
    }
    time.after(latencyMs(), () => {
      if (this.#isBroken || !this.#pending.delete(settle)) return
      if (fault?.kind === 'unconfirmed commit') this.emit('notice', { code: '01000' })
      respond()
    })
  }

  /** The driver reports the results of a round to the round itself. */
  #queryRound(round: Round): Promise<void> {
    this.#network.onStatement()
    const settle: Settle = {
      resolve: () => round.handleReadyForQuery(),
      reject: (error) => round.handleError(error as Error),
    }
    if (this.#isBroken) settle.reject(brokenConnection())
    else this.#send(round, settle)
    return Promise.resolve()
  }

  async #respondToRound(round: Round, settle: Settle): Promise<void> {
    const { time, latencyMs } = this.#network
    const outcome = this.#isBroken ? undefined : await this.#executeRound(round)
    if (outcome === undefined) return
    if (outcome.isLost) {
      this.break(0)
      return
    }
    time.after(latencyMs(), () => {
      if (this.#isBroken || !this.#pending.delete(settle)) return
      if (outcome.isUnconfirmed) this.emit('notice', { code: '01000' })
      if ('error' in outcome) settle.reject(outcome.error)
      else settle.resolve(undefined)
    })
  }

  /** Runs the statements of a packet as one transaction. Returns undefined if the connection broke meanwhile. */
  async #executeRound(round: Round): Promise<Outcome | undefined> {
    const { time, strike } = this.#network
    const outcome: Outcome = { isLost: false, isUnconfirmed: false }
    for (const statement of [...round.statements, { text: 'commit' }]) {
      const fault = strike(kindOf(statement))
      if (fault?.kind === 'lost request') {
        this.break(fault.ms > 300 ? idleTimeoutMs : 0)
        return undefined
      }
      if (fault?.kind === 'slow' || fault?.kind === 'hang') await time.sleep(fault.ms)
      outcome.isLost ||= fault?.kind === 'lost response'
      outcome.isUnconfirmed ||= fault?.kind === 'unconfirmed commit'
      try {
        await runStatement(this.#session, statement, fault)
        round.handleCommandComplete()
      } catch (error) {
        this.#abort()
        return { ...outcome, error }
      }
    }
    return outcome
  }

  /** The client learns at once that the connection is lost, the server after a while. */
  break(noticedAfterMs: number): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#network.onGone(this)
    this.#network.time.after(noticedAfterMs, () => this.#abort())
    for (const { reject } of this.#pending) reject(brokenConnection())
  }

  #abort(): void {
    this.#session.transaction = undefined
    this.#session.locks.releaseAll(this.#session)
  }

  /** PostgreSQL finishes what it has received before it ends the session. */
  end(): Promise<void> {
    this.#network.onGone(this)
    void this.#work.then(() => this.#abort())
    return Promise.resolve()
  }
}
