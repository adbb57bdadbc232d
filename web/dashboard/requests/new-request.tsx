import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { checkForm, type Faults, onSubmit, useFaults } from '../parts/use-faults.ts'
import { Screen } from '../shell/frame.tsx'
import { go } from '../shell/place.ts'
import { act, read, useAct } from '../shell/request-dashboard.ts'
import { formatMoney, useShop } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'

type How = 'link' | 'user'
type RequestInput = {
  readonly how: How
  readonly payer: string
  readonly amount: string
  readonly currency: string
  readonly note: string
}
/** The customer, as the shop may see them before it asks. */
type FoundPayer = { readonly fullName: string }

/** Asks a user by name, after a look at who that is, or anyone who has the link. */
export function NewRequest(): ReactNode {
  const { merchant } = useShop()
  const [input, setInput] = useState<RequestInput>({
    ...{ how: 'link', payer: '', amount: '', note: '' },
    currency: merchant.homeCurrency,
  })
  const finding = useAct<FoundPayer>()
  const asking = useAct<string>()
  const { how, payer, currency } = input
  const amount = readDecimal(input.amount)
  const isAmount = isPositive(amount)
  const isBusy = finding.state !== 'idle' || asking.state !== 'idle'
  const found = how === 'user' ? finding.done : null
  const refusal = asking.refusal ?? finding.refusal
  const faults = useFaults(faultsOf(input))
  const change = (changes: Partial<RequestInput>) => {
    finding.again()
    asking.again()
    setInput({ ...input, ...changes })
  }
  const find = () =>
    finding.start(() => read<FoundPayer>(`/merchant-integrations/confirm-user/${encodeURIComponent(payer.trim())}`))
  const ask = () =>
    asking.start(async (reference) => {
      const response = await request(input, amount, reference)
      return 'refusal' in response ? response : { data: reference }
    })
  const asked = asking.done
  useEffect(() => {
    if (asked !== null) go(`/requests/${encodeURIComponent(asked)}`, 'replace')
  }, [asked])
  const due = isAmount ? formatMoney(amount, currency) : ''
  return (
    <Screen heading={money.requests.newHeading} back="/requests">
      <form
        className="fields"
        noValidate
        onSubmit={onSubmit((form) => {
          if (isBusy || !checkForm(form, faults.check)) return
          if (how === 'user' && found === null) find()
          else ask()
        })}
      >
        <RequestFields input={input} faults={faults} isBusy={isBusy} onChange={change} />
        {found !== null && <Notice kind="wait">{money.requests.isThisRight(found.fullName)}</Notice>}
        <Checking state={asking.state} words={words.checking} />
        {!isBusy && refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : labelOf(how, found !== null, due)}
          </Button>
        </div>
      </form>
    </Screen>
  )
}

function labelOf(how: How, isFound: boolean, due: string): string {
  if (how === 'link') return money.requests.actLink(due)
  return isFound ? money.requests.act(due) : money.requests.confirmPayer
}

function isPositive(amount: string): boolean {
  return /^\d+(\.\d+)?$/.test(amount) && !isZero(amount)
}

function faultsOf({ how, payer, amount }: RequestInput): Faults {
  return {
    ...(!isPositive(readDecimal(amount)) && { amount: money.missingAmount }),
    ...(how === 'user' && payer.trim() === '' && { payer: money.requests.payerMissing }),
  }
}

function request({ how, payer, currency, note }: RequestInput, amount: string, reference: string) {
  const text = note.trim()
  if (how === 'link')
    return act('/merchant-integrations-server/payment-links', {
      ...{ amount, currency, referenceId: reference },
      ...(text !== '' && { note: text }),
    })
  return act('/merchant-integrations/payment-request', {
    ...{ amount, currency, user_identifier: payer.trim(), reference_id: reference },
    ...(text !== '' && { metadata: { note: text } }),
  })
}

type RequestFieldsProps = {
  readonly input: RequestInput
  readonly faults: { readonly of: (name: string) => string }
  readonly isBusy: boolean
  readonly onChange: (changes: Partial<RequestInput>) => void
}

function RequestFields({ input, faults, isBusy, onChange }: RequestFieldsProps) {
  const { how, payer, amount, currency, note } = input
  return (
    <>
      <Segmented
        label={money.requests.how}
        value={how}
        options={[
          ['link', money.requests.byLink],
          ['user', money.requests.byUser],
        ]}
        onChoose={(chosen) => onChange({ how: chosen })}
      />
      <Field
        label={words.amountIn(currency)}
        error={faults.of('amount')}
        inputMode="decimal"
        autoComplete="off"
        autoFocus
        value={amount}
        disabled={isBusy}
        onChange={(event) => onChange({ amount: event.target.value })}
      />
      <CurrencyChoice value={currency} isDisabled={isBusy} onChange={(chosen) => onChange({ currency: chosen })} />
      {how === 'user' && (
        <Field
          label={money.requests.payer}
          hint={money.requests.payerHint}
          error={faults.of('payer')}
          autoComplete="off"
          autoCapitalize="none"
          value={payer}
          disabled={isBusy}
          onChange={(event) => onChange({ payer: event.target.value })}
        />
      )}
      <Field
        label={money.requests.note}
        hint={money.requests.noteHint}
        maxLength={200}
        value={note}
        disabled={isBusy}
        onChange={(event) => onChange({ note: event.target.value })}
      />
    </>
  )
}
