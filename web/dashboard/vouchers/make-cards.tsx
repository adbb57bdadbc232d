import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { DateField } from '../../ui/date-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { dayIn } from '../parts/days.ts'
import { checkForm, type Faults, type FaultsShown, onSubmit, useFaults } from '../parts/use-faults.ts'
import { go } from '../shell/place.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import type { Batch } from '../shell/responses.ts'
import { useShop } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'
import { isSize, SizeField } from './size-field.tsx'

/** Makes cards that are worthless until they are sold. Nothing leaves the balance, so it needs no PIN. */
export function MakeCards(): ReactNode {
  const [typed, setTyped] = useState('')
  const making = useAct<Batch>()
  const { state, done, refusal } = making
  const isBusy = state !== 'idle'
  const size = Number(typed)
  const terms = useCardTerms()
  const faults = useFaults({ ...(!isSize(size) && { size: words.many.sizeMissing }), ...terms.faults })
  useEffect(() => {
    if (done !== null) go(`/vouchers/batches/${done.id}`, 'replace')
  }, [done])
  const submit = onSubmit((form) => {
    if (isBusy || !checkForm(form, faults.check)) return
    making.start((referenceId) =>
      act('/merchant-integrations-server/voucher-cards', { size, ...terms.body, referenceId }),
    )
  })
  return (
    <>
      <p className="soft">{selling.cards.lead}</p>
      <form className="fields" noValidate onChange={making.forget} onSubmit={submit}>
        <SizeField value={typed} error={faults.of('size')} disabled={isBusy} onSize={setTyped} />
        {terms.fields(faults)}
        <Checking state={state} words={words.checking} />
        {refusal !== null && !isBusy && <Notice kind="error">{describeError(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : isSize(size) ? selling.cards.act(size) : selling.cards.actEmpty}
          </Button>
        </div>
      </form>
    </>
  )
}

type CardTerms = {
  readonly fields: (faults: FaultsShown) => ReactNode
  readonly faults: Faults
  readonly body: object
}

/** The printed amount, if there is one, the currency and the expiry date. */
function useCardTerms(): CardTerms {
  const { merchant } = useShop()
  const [typed, setTyped] = useState('')
  const [currency, setCurrency] = useState(merchant.homeCurrency)
  const [expiresAt, setExpiresAt] = useState<string | undefined>('')
  const amount = readDecimal(typed)
  const fields = (faults: FaultsShown) => (
    <>
      <div className="terms-amount">
        <Field
          label={selling.cards.each}
          hint={selling.cards.eachHint}
          error={faults.of('amount')}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <CurrencyChoice value={currency} onChange={setCurrency} />
      </div>
      <DateField
        label={words.issue.expires}
        hint={words.issue.expiresHint}
        min={dayIn(merchant.timeZone, new Date())}
        value={expiresAt ?? ''}
        error={faults.of('expiresAt')}
        onDay={setExpiresAt}
      />
    </>
  )
  return {
    fields,
    faults: {
      ...(amount !== '' && !/^\d+(\.\d+)?$/.test(amount) && { amount: words.refusals.AMOUNT_INVALID }),
      ...(expiresAt === undefined && { expiresAt: words.issue.expiresIncomplete }),
    },
    body: { currency, ...(amount !== '' && { amount }), ...(expiresAt !== '' && { expiresAt }) },
  }
}
