import { onTestFinished } from 'vitest'

/** Undoes what a test changes for its neighbours, whether it passes or fails. */
export function restoreAfterTest(undo: () => Promise<unknown>): void {
  onTestFinished(async () => {
    await undo()
  })
}
