import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Waits until the field is marked as wrong, and checks that screen readers read this text with it. */
export async function expectFieldError(page: Page, label: string | RegExp, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true }).first()
  await field.and(page.locator('[aria-invalid="true"]')).waitFor()
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ')
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()))
  expect(texts).toContain(text)
}

/** The labels of all fields that are marked as wrong. */
export async function listWrongFields(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('[aria-invalid]')].map((field) => field.labels[0].textContent)`,
  )
}

/** The label of the field that has the focus. */
export async function focusedField(page: Page): Promise<string> {
  return page.evaluate<string>(`document.activeElement.labels?.[0]?.textContent ?? ''`)
}
