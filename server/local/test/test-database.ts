import { afterAll, inject } from 'vitest'
import { cloneTemplate, type LocalDatabase } from '../parts/database.ts'

/** A database for this test file, dropped when the file is done. */
export async function createTestDatabase(): Promise<LocalDatabase> {
  const database = await cloneTemplate(inject('adminUrl'), inject('template'))
  afterAll(database.drop)
  return database
}
