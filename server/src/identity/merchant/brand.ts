import { hash } from 'node:crypto'
import { parseAccent } from '../../base/accent.ts'
import { type Caps, createCaps } from '../../base/caps.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { hiddenCharacters } from '../../base/hidden-characters.ts'
import { recodeImage } from '../../base/image.ts'
import { checkImageForm, imageError, refuseImage } from '../../base/image-form.ts'
import { type CreateLimit, type Limit, refuseAbove } from '../../http/limit.ts'
import { type Brand, saveLogo } from './brand-store.ts'
import { merchantError } from './errors.ts'

export const logoBytesMax = 1024 * 1024
const linesMax = 6
const hourMs = 3_600_000
const logosAnHour = 60
const retryAfterSeconds = 5
// Decoding runs in the threads that also hash passwords, of which there are four.
const atOnce = { merchant: 1, all: 2 }

const pageBox = { width: 512, height: 512 }
/** In an email a logo is half as large, so that it is sharp on a dense screen. */
const mailBox = { width: 400, height: 96 }

/** Checks and tidies what a merchant entered: emails, PDFs and pages show it as it is stored. */
export function readBrand({ accent, address, taxNumber }: Brand): Brand {
  const colour = accent === '' ? '' : parseAccent(accent)
  if (colour === undefined) throw merchantError('ACCENT_INVALID', { param: 'accent' })
  const lines = address.split(/[\r\n\v\f\u0085\u2028\u2029]+/).map(tidyLine)
  const filled = lines.filter((line) => line !== '')
  if (filled.length > linesMax) throw merchantError('ADDRESS_TOO_LONG', { param: 'address' })
  return { accent: colour, address: filled.join('\n'), taxNumber: tidyLine(taxNumber) }
}

/** One line without hidden characters. PDFs and terminals would obey control characters, or show them as boxes. */
export function tidyLine(text: string): string {
  return text.replaceAll(hiddenCharacters, ' ').replaceAll(/ {2,}/g, ' ').trim()
}

type LogoTools = { readonly pool: Pool; readonly caps: Caps; readonly uploads: Limit }

/** Returns a function that stores a logo, given as base64. */
export function createSetLogo(
  pool: Pool,
  createLimit: CreateLimit,
): (environmentId: string, text: string) => Promise<void> {
  const tools = { pool, caps: createCaps(), uploads: createLimit('logo', logosAnHour, hourMs) }
  return (environmentId, text) => setLogo(tools, environmentId, readBase64(text))
}

async function setLogo({ pool, caps, uploads }: LogoTools, environmentId: string, file: Buffer): Promise<void> {
  if (file.length > logoBytesMax) throw refuseImage('IMAGE_TOO_LARGE')
  // Costs nothing, so that a wrong file does not count.
  checkImageForm(file)
  refuseAbove(await uploads.count(environmentId))
  const release = caps.take([
    { name: environmentId, max: atOnce.merchant },
    { name: 'all', max: atOnce.all },
  ])
  if (release === undefined) throw imageError('IMAGE_BUSY', { retryAfterSeconds })
  try {
    const [image, smallImage] = await recodeImage(file, [pageBox, mailBox])
    if (image === undefined || smallImage === undefined) throw new Error('A size of the logo is missing.')
    const version = hash('sha256', image, 'hex').slice(0, 32)
    await withEnvironment(pool, environmentId, (tx) => saveLogo(tx, environmentId, version, { image, smallImage }))
  } finally {
    release()
  }
}

/** Node ignores characters that are not base64: an error would be about the image then, and puzzle. */
function readBase64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw refuseImage('IMAGE_FORMAT_UNKNOWN')
  return Buffer.from(text, 'base64')
}
