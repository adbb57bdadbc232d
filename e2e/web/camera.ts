// A fake camera that sees a QR code.
import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'

/** Writes the file that is the browser's camera picture from now on. */
export async function showToCamera(page: Page, camera: string, content: string): Promise<void> {
  const { data } = encode(content, { ecc: 'M', border: 4 })
  const cells = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${data.length + 8} ${data.length + 8}" width="480" height="480"><rect x="-4" y="-4" width="100%" height="100%" fill="white"/><path d="${cells.join('')}"/></svg>`
  const other = await page.context().newPage()
  await other.setViewportSize({ width: 640, height: 480 })
  await other.setContent(`<body style="margin:0;background:white;display:grid;place-items:center">${svg}</body>`)
  writeFileSync(camera, await other.screenshot({ type: 'jpeg', quality: 90 }))
  await other.close()
}
