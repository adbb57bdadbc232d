// Prints what the open pages show when a test fails, and closes them.
import { afterEach } from 'vitest'
import { type OpenPage, openPages } from './stack.ts'

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const opened of openPages) {
    console.error(await describe(opened))
    await opened.close()
  }
})

async function describe({ page, browserErrors, requests }: OpenPage): Promise<string> {
  const focused = await page.evaluate<string>('document.activeElement?.outerHTML.slice(0, 300)')
  const text = await page.locator('body').innerText()
  return JSON.stringify({ url: page.url(), focused, text, browserErrors, requests: requests.slice(-12) }, null, 2)
}
