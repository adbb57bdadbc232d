import { ExternalLink } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { Screen } from '../shell/frame.tsx'
import { place } from '../shell/place.ts'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import { Loaded, useCurrencies, useOrder, useShop } from '../shell/shop.tsx'
import { invoicing } from '../words/invoicing.ts'
import { describeError } from '../words/words.ts'

const path = '/merchant-integrations-server/invoice-currencies'
const { receiving } = invoicing
type Accepted = { readonly currencies: readonly string[] }

/** The accepted currencies, and the public link for suppliers. */
export function Receiving(): ReactNode {
  const known = useKnown<Accepted>(path)
  return (
    <Screen heading={receiving.heading} lead={receiving.lead} back="/invoices">
      <Loaded known={known}>
        {({ currencies }) => (
          <div className="cards">
            <Currencies accepted={currencies} />
            <PublicLink isOn={currencies.length > 0} />
          </div>
        )}
      </Loaded>
    </Screen>
  )
}

function Currencies({ accepted }: { readonly accepted: readonly string[] }) {
  const [chosen, setChosen] = useState(accepted)
  const { tell, shown } = useOutcome(describeError)
  const [isBusy, setIsBusy] = useState(false)
  const order = useOrder()
  const offered = useCurrencies().filter(({ isActive }) => isActive)
  const names = new Map(offered.map(({ abbreviation, currency }) => [abbreviation, currency]))
  // An accepted currency that is no longer offered can still be removed.
  const codes = order([...names.keys(), ...accepted])
  const toggle = (code: string, isOn: boolean) =>
    setChosen((before) => (isOn ? [...before, code] : before.filter((each) => each !== code)))
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    setIsBusy(true)
    void act(path, { currencies: chosen }).then(async (response) => {
      tell(response, receiving.saved)
      await refresh(path)
      setIsBusy(false)
    })
  }
  return (
    <Card heading={receiving.currencies}>
      <form className="fields" noValidate onSubmit={submit}>
        <fieldset className="invoice-currencies">
          <legend className="field-hint">{receiving.currenciesHint}</legend>
          {codes.map((code) => (
            <label key={code} className="tick">
              <input
                type="checkbox"
                checked={chosen.includes(code)}
                onChange={(event) => toggle(code, event.target.checked)}
              />
              <span>{code}</span>
              <span className="soft">{names.get(code) ?? ''}</span>
            </label>
          ))}
        </fieldset>
        {shown}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {receiving.save}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function PublicLink({ isOn }: { readonly isOn: boolean }) {
  const { code } = useShop().merchant
  const mode = place?.mode ?? 'live'
  const query = new URLSearchParams({ to: code, ...(mode === 'test' && { mode }) })
  const url = `${location.origin}/invoice?${query.toString()}`
  return (
    <Card heading={receiving.link}>
      <div className="invoice-link">
        {!isOn && <Notice kind="wait">{receiving.off}</Notice>}
        <p className="soft">{receiving.linkLead}</p>
        {mode === 'test' && <p className="soft">{receiving.testLead}</p>}
        <code className="invoice-url">{url}</code>
        <div className="acts">
          <CopyButton text={url} label={receiving.copy} />
          <a className="button" data-kind="quiet" href={url} target="_blank" rel="noreferrer">
            <ExternalLink aria-hidden="true" />
            {receiving.openLink}
          </a>
        </div>
        <QrCode content={url} label={receiving.qr} />
      </div>
    </Card>
  )
}
