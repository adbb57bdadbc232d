import type { Page } from 'playwright-core'
import { findCutText } from './cut-text.ts'

/** Shows each screen in French, named with `-fr`, and returns the texts that are cut. The page is English again afterwards. */
export async function shootInFrench(
  page: Page,
  screens: Readonly<Record<string, string>>,
  show: (page: Page, path: string) => Promise<void>,
  shoot: (page: Page, name: string) => Promise<void>,
): Promise<string[]> {
  const cut: string[] = []
  await chooseLanguage(page, 'fr')
  for (const [name, path] of Object.entries(screens)) {
    await show(page, path)
    await shoot(page, `${name}-fr`)
    for (const text of await findCutText(page)) cut.push(`${name}: ${text}`)
  }
  await chooseLanguage(page, 'en')
  return cut
}

async function chooseLanguage(page: Page, language: 'en' | 'fr'): Promise<void> {
  await page.evaluate(`localStorage.setItem('scrip-language', '${language}')`)
}
