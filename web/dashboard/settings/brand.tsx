import { type ReactNode, type SubmitEvent, useState } from 'react'
import { onAccent, parseAccent } from '../../../server/src/base/accent.ts'
import { Button } from '../../ui/button.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { BrandAccent } from './brand-accent.tsx'
import './brand.css'
import { BrandLogo } from './brand-logo.tsx'
import { Screen } from '../shell/frame.tsx'
import { place } from '../shell/place.ts'
import { act, brandPath, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { Brand } from '../shell/responses.ts'
import { Loaded, useShop } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

/** The owner sets what customers see of the shop. */
export function BrandScreen(): ReactNode {
  const known = useKnown<Brand>(brandPath)
  return (
    <Screen heading={words.brand.heading} back="/settings">
      <p className="soft">{words.brand.lead}</p>
      <Notice>{place?.mode === 'test' ? words.brand.testLead : words.brand.liveLead}</Notice>
      <Loaded known={known}>
        {(brand) => (
          <>
            <BrandLogo brand={brand} />
            <BrandForm brand={brand} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

const linesMax = 6

function BrandForm({ brand }: { readonly brand: Brand }) {
  const [accent, setAccent] = useState(brand.accent)
  const [address, setAddress] = useState(brand.address)
  const [taxNumber, setTaxNumber] = useState(brand.taxNumber)
  const { tell, shown } = useOutcome(describeError)
  const isColour = accent.trim() === '' || parseAccent(accent.trim()) !== undefined
  const isShort = address.split('\n').filter((line) => line.trim() !== '').length <= linesMax
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isColour || !isShort) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    void act<Brand>(brandPath, { accent: accent.trim(), address, taxNumber }).then((response) => {
      tell(response, words.brand.saved)
      if ('refusal' in response) return
      // As the server stored it: without blank lines, in lower case.
      setAccent(response.data.accent)
      setAddress(response.data.address)
      setTaxNumber(response.data.taxNumber)
      void refresh(brandPath)
    })
  }
  return (
    <section className="section">
      <h2>{words.brand.details}</h2>
      <form className="fields" noValidate onSubmit={submit}>
        <BrandAccent accent={accent} error={isColour ? '' : words.brand.accentInvalid} onChoose={setAccent} />
        <Preview brand={brand} accent={parseAccent(accent.trim())} />
        <TextArea
          label={words.brand.address}
          hint={words.brand.addressHint}
          error={isShort ? '' : words.brand.addressInvalid}
          rows={4}
          maxLength={300}
          autoComplete="off"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
        <Field
          label={words.brand.taxNumber}
          hint={words.brand.taxNumberHint}
          maxLength={40}
          autoComplete="off"
          value={taxNumber}
          onChange={(event) => setTaxNumber(event.target.value)}
        />
        {shown}
        <div className="acts">
          <Button kind="main" type="submit">
            {words.brand.save}
          </Button>
        </div>
      </form>
    </section>
  )
}

const ourGreen = '#17563a'

type PreviewProps = { readonly brand: Brand; readonly accent: string | undefined }

/** The head of a voucher in this colour. */
function Preview({ brand: { logoUrl }, accent = ourGreen }: PreviewProps) {
  const { merchant } = useShop()
  const { fill, ink } = onAccent(accent)
  return (
    <div role="group" aria-label={words.brand.preview}>
      <div className="brand-preview" style={{ background: fill, color: ink }}>
        {logoUrl !== '' && <img src={logoUrl} alt="" />}
        <p>
          <strong>{merchant.name}</strong>
          {words.brand.previewVoucher}
        </p>
      </div>
      {fill !== accent && <p className="field-hint">{words.brand.adjusted}</p>}
    </div>
  )
}
