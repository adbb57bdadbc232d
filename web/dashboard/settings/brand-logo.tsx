import { type ChangeEvent, type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { readBase64 } from '../../ui/read-file.ts'
import type { Answer } from '../../ui/send-request.ts'
import { act, brandPath, refresh, remove } from '../shell/request-dashboard.ts'
import type { Brand } from '../shell/responses.ts'
import { useShop } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

const logoPath = `${brandPath}/logo`
const bytesMax = 1024 * 1024

/** The logo, a field for another file, and a button that removes it. Each acts at once. */
export function BrandLogo({ brand: { logoUrl } }: { readonly brand: Brand }): ReactNode {
  const { merchant } = useShop()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState('')
  const [done, setDone] = useState('')
  const finish = async (work: Promise<Answer<unknown>>, text: string): Promise<void> => {
    setIsBusy(true)
    setError('')
    setDone('')
    const answer = await work
    if ('refusal' in answer) setError(describeError(answer.refusal))
    else setDone(text)
    await refresh(brandPath)
    setIsBusy(false)
  }
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file !== undefined) void finish(upload(file), words.brand.logoSaved)
    // The same file can be chosen again after it was changed.
    target.value = ''
  }
  return (
    <section className="section">
      <h2>{words.brand.logo}</h2>
      <div className="brand-logo">
        {logoUrl === '' ? (
          <p className="soft">{words.brand.noLogo}</p>
        ) : (
          <img src={logoUrl} alt={words.brand.logoOf(merchant.name)} />
        )}
        <Field
          label={words.brand.file}
          hint={isBusy ? words.oneMoment : words.brand.logoHint}
          error={error}
          type="file"
          accept="image/png,image/jpeg"
          disabled={isBusy}
          onChange={choose}
        />
        <p role="status">{done}</p>
        {logoUrl !== '' && (
          <Button aria-disabled={isBusy} onClick={() => isBusy || void finish(remove(logoPath), words.brand.removed)}>
            {words.brand.remove}
          </Button>
        )}
      </div>
    </section>
  )
}

async function upload(file: File): Promise<Answer<unknown>> {
  // The server would refuse it too, after it was sent.
  if (file.size > bytesMax) return { refusal: { code: 'IMAGE_TOO_LARGE', message: '' } }
  try {
    return await act(logoPath, { image: await readBase64(file) })
  } catch {
    return { refusal: { code: 'IMAGE_BROKEN', message: '' } }
  }
}
