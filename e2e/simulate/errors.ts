import pg from 'pg'

/** An error as PostgreSQL reports it. */
export function serverError(code: string, constraint?: string, severity = 'ERROR'): Error {
  const error = new pg.DatabaseError(`simulated ${code}`, 0, 'error')
  return Object.assign(error, { code, severity, ...(constraint !== undefined && { constraint }) })
}

/** A connection that ends without a word from PostgreSQL. */
export function brokenConnection(): Error {
  return new Error('Connection terminated unexpectedly')
}
