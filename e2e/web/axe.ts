// Serious accessibility faults that axe finds on a page.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

type Violation = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }

export async function findSerious(page: Page): Promise<string[]> {
  // Injected as an extension would, because the page's content security policy allows no other script.
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Runtime.evaluate', { expression: axe.source })
  // A colour in transition is neither that of before nor that of after.
  await page.evaluate(
    `Promise.all(document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished.catch(() => undefined))).then(() => undefined)`,
  )
  const found = await page.evaluate<Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))`,
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
}

/** Whether a page becomes wider than the screen at twice the font size. */
export async function isWideAtTwice(page: Page): Promise<boolean> {
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
  const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth + 1')
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  return isWider
}
