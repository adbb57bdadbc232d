// Every email as it arrives at a mail server, rendered as on a phone and on a desktop.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { embedImages } from '../../server/local/parts/mailbox.ts'
import { type Stack, startStack } from './stack.ts'

const SK = '/merchant-integrations-server'
const widths = { '390': { width: 390, height: 844 }, '1280': { width: 1280, height: 900 } }

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
  await stack.post('/sandbox/fund', { amount: 10_000, currency: 'USD' })
})
afterAll(() => stack.stop())

async function mailWith(words: string) {
  for (;;) {
    const found = stack.mails.find(({ subject }) => subject?.includes(words))
    if (found !== undefined) return found
    await sleep(50)
  }
}

test('every email fits a phone and a desktop, light and dark, and loads nothing from the network', async () => {
  const gift = { amount: 75, currency: 'USD', forEmail: 'ada@example.com', sendEmail: true, expiresAt: '2031-12-31' }
  const { data } = await stack.post(`${SK}/vouchers`, gift)
  await stack.post(`${SK}/vouchers`, { ...gift, language: 'fr', lockPin: '4821' })
  const sale = { voucherCode: data.code, amount: 20, referenceId: 'sale-1' }
  await stack.post('/merchant-integrations/redeem-voucher', sale)
  await stack.post(`${SK}/refund`, { referenceId: 'sale-1', amount: 5, refundReferenceId: 'refund-1' })
  await stack.post(`${SK}/transactions/sale-1/receipt`, { email: 'ada@example.com' })
  await stack.post(`${SK}/transactions/refund-1/receipt`, { email: 'ada@example.com', language: 'fr' })
  const mails = {
    gift: await mailWith('sent you a voucher'),
    'gift-fr': await mailWith('vous a envoyé un bon'),
    receipt: await mailWith('Your receipt'),
    'refund-fr': await mailWith('Votre remboursement'),
    notice: await mailWith('API key created'),
  }
  const folder = process.env.SCREENS
  for (const [name, mail] of Object.entries(mails)) {
    expect(mail.text?.length, `${name} as plain text`).toBeGreaterThan(40)
    for (const [width, viewport] of Object.entries(widths))
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, requests, browserErrors, close } = await stack.open({ viewport, colorScheme })
        await page.setContent(embedImages(mail))
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} at ${width}`).toBe(
          true,
        )
        expect([...requests, ...browserErrors]).toEqual([])
        if (folder !== undefined) {
          mkdirSync(folder, { recursive: true })
          await page.screenshot({
            path: join(resolve(folder), `mail-${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          })
        }
        await close()
      }
  }
})

test('the button of a gift email opens the page of its voucher', async () => {
  const mail = await mailWith('sent you a voucher')
  const { page, close } = await stack.open({ viewport: widths['390'] })
  await page.setContent(embedImages(mail))
  await page.getByRole('link', { name: 'Check the balance' }).click()
  await page.getByText('Left to spend').waitFor()
  await close()
})
