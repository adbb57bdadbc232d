import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Choice } from '../../ui/choice.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import type { PayoutPreview, PendingOutflow } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { formatMoney, Money, useCurrencies, useShop, When } from '../shell/shop.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { usePin } from '../parts/use-pin.tsx'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'

type PayoutInput = {
  readonly recipient: string
  readonly amount: string
  readonly from: string
  readonly to: string
  readonly note: string
}
type Sent = { readonly referenceId: string; readonly status: string; readonly notBefore?: string }

/** One payout: who gets how much, then what happens, then the PIN. */
export function SendPayout(): ReactNode {
  const { merchant } = useShop()
  const { homeCurrency } = merchant
  const blank: PayoutInput = { recipient: '', amount: '', from: homeCurrency, to: homeCurrency, note: '' }
  const [input, setInput] = useState(blank)
  const checking = useAct<PayoutPreview>()
  const paying = useAct<Sent | PendingOutflow>()
  const preview = checking.done
  const bodyOf = { ...input, amount: readDecimal(input.amount) }
  const again = () => {
    checking.again()
    paying.again()
  }
  if (paying.done !== null && preview !== null)
    return (
      <SentPayout
        sent={paying.done}
        preview={preview}
        onAnother={() => {
          again()
          setInput(blank)
        }}
      />
    )
  return (
    <Screen heading={preview === null ? money.payouts.send : money.payouts.reviewHeading} back="/payouts">
      {preview === null ? (
        <PayoutForm
          input={input}
          onChange={(changes) => {
            checking.forget()
            setInput({ ...input, ...changes })
          }}
          checking={checking}
          onCheck={() => checking.start(() => act('/merchant/payouts/preview', termsOf(bodyOf)))}
        />
      ) : (
        <ConfirmPayout
          preview={preview}
          paying={paying}
          onBack={again}
          onPay={(pin) =>
            paying.start((referenceId) =>
              act('/merchant-integrations-server/payout', {
                ...termsOf(bodyOf),
                ...(input.note.trim() !== '' && { metaData: input.note.trim() }),
                pin,
                referenceId,
              }),
            )
          }
        />
      )}
    </Screen>
  )
}

function termsOf({ recipient, amount, from, to }: PayoutInput) {
  return {
    amount,
    fromCurrencyAbbreviation: from,
    toCurrencyAbbreviation: to,
    platformUsernameOrEmail: recipient.trim(),
  }
}

type PayoutFormProps = {
  readonly input: PayoutInput
  readonly checking: Pick<ReturnType<typeof useAct<PayoutPreview>>, 'state' | 'refusal'>
  readonly onChange: (changes: Partial<PayoutInput>) => void
  readonly onCheck: () => void
}

function PayoutForm({ input, checking, onChange, onCheck }: PayoutFormProps) {
  const isBusy = checking.state !== 'idle'
  const amount = readDecimal(input.amount)
  const isAmount = /^\d+(\.\d+)?$/.test(amount) && !isZero(amount)
  const faults = useFaults({
    ...(input.recipient.trim() === '' && { recipient: money.payouts.recipientMissing }),
    ...(!isAmount && { amount: money.missingAmount }),
  })
  return (
    <form
      className="fields"
      noValidate
      onSubmit={onSubmit((form) => {
        if (!isBusy && checkForm(form, faults.check)) onCheck()
      })}
    >
      <Field
        label={money.payouts.recipient}
        hint={money.payouts.recipientHint}
        error={faults.of('recipient')}
        autoComplete="off"
        autoCapitalize="none"
        autoFocus
        value={input.recipient}
        disabled={isBusy}
        onChange={(event) => onChange({ recipient: event.target.value })}
      />
      <MoneyFields input={input} error={faults.of('amount')} isBusy={isBusy} onChange={onChange} />
      <Field
        label={money.payouts.note}
        hint={money.payouts.noteHint}
        maxLength={200}
        value={input.note}
        disabled={isBusy}
        onChange={(event) => onChange({ note: event.target.value })}
      />
      {!isBusy && checking.refusal !== null && <Notice kind="error">{describeError(checking.refusal)}</Notice>}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isBusy}>
          {isBusy ? words.oneMoment : money.payouts.review}
        </Button>
      </div>
    </form>
  )
}

type MoneyFieldsProps = Pick<PayoutFormProps, 'input' | 'onChange'> & {
  readonly error: string
  readonly isBusy: boolean
}

/** How much, from which balance, and what the recipient gets. */
function MoneyFields({ input, error, isBusy, onChange }: MoneyFieldsProps) {
  const codes = useCurrencies()
    .filter(({ isActive }) => isActive)
    .map(({ abbreviation }) => [abbreviation, abbreviation] as const)
  return (
    <>
      <Field
        label={words.amountIn(input.from)}
        error={error}
        inputMode="decimal"
        autoComplete="off"
        value={input.amount}
        disabled={isBusy}
        onChange={(event) => onChange({ amount: event.target.value })}
      />
      <Choice
        label={words.currency}
        value={input.from}
        disabled={isBusy}
        onChange={(event) => onChange({ from: event.target.value, to: event.target.value })}
        options={codes}
      />
      <Choice
        label={money.payouts.toCurrency}
        value={input.to}
        disabled={isBusy}
        onChange={(event) => onChange({ to: event.target.value })}
        options={codes}
      />
    </>
  )
}

type ConfirmPayoutProps = {
  readonly preview: PayoutPreview
  readonly paying: Pick<ReturnType<typeof useAct<Sent | PendingOutflow>>, 'state' | 'refusal' | 'forget'>
  readonly onBack: () => void
  readonly onPay: (pin: string) => void
}

function ConfirmPayout({ preview, paying, onBack, onPay }: ConfirmPayoutProps) {
  const pin = usePin(paying)
  const isBusy = paying.state !== 'idle'
  const { name, pays, fromCurrency, gets, toCurrency, remains, isNew, outflow, waitHours } = preview
  const isPossible = remains !== '' && outflow !== 'above_daily'
  const { delayed, ...others } = money.payouts.outflow
  return (
    <>
      <div className="narrow">
        <Facts
          rows={[
            [money.payouts.recipient, <strong key="name">{name}</strong>],
            [money.payouts.pays, <Money key="pays" value={pays} code={fromCurrency} />],
            [money.payouts.fee, money.payouts.noFee],
            [money.payouts.gets, <Money key="gets" value={gets} code={toCurrency} />],
            ...(remains === ''
              ? []
              : [[money.payouts.remains, <Money key="remains" value={remains} code={fromCurrency} />] as const]),
          ]}
        />
      </div>
      {isNew && <Notice kind="wait">{money.payouts.isNew}</Notice>}
      {remains === '' ? (
        <Notice kind="error">{money.payouts.notCovered}</Notice>
      ) : (
        <Notice kind={outflow === 'above_daily' ? 'error' : 'info'}>
          {outflow === 'delayed' ? delayed(waitHours) : others[outflow]}
        </Notice>
      )}
      <form
        className="fields"
        noValidate
        onChange={paying.forget}
        onSubmit={onSubmit((form) => {
          if (!isBusy && checkForm(form, pin.check)) onPay(pin.take())
        })}
      >
        {isPossible && pin.field}
        <Checking state={paying.state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          {isPossible && (
            <Button kind="main" type="submit" aria-disabled={isBusy}>
              {isBusy ? words.oneMoment : money.payouts.act(formatMoney(pays, fromCurrency))}
            </Button>
          )}
          <Button aria-disabled={isBusy} onClick={() => isBusy || onBack()}>
            {money.payouts.change}
          </Button>
        </div>
      </form>
    </>
  )
}

type SentPayoutProps = {
  readonly sent: Sent | PendingOutflow
  readonly preview: PayoutPreview
  readonly onAnother: () => void
}

function SentPayout({ sent, preview, onAnother }: SentPayoutProps) {
  const { status, referenceId, notBefore = '' } = sent
  const isSent = status === 'COMPLETED'
  const { name, pays, fromCurrency, gets, toCurrency } = preview
  return (
    <Screen heading={isSent ? money.payouts.done : money.payouts.waiting} back="/payouts">
      <p>
        {isSent
          ? money.payouts.doneLead(formatMoney(gets, toCurrency), name)
          : money.payouts.waitingLead(formatMoney(pays, fromCurrency))}
      </p>
      {status === 'PENDING' && <p>{money.payouts.waitingApproval}</p>}
      {status === 'APPROVED' && notBefore !== '' && (
        <p>
          {money.payouts.waitingNew} <When at={notBefore} />.
        </p>
      )}
      <div className="acts">
        <Link className="button" data-kind="main" to={`/payments/${encodeURIComponent(referenceId)}`}>
          {money.payouts.open}
        </Link>
        {status === 'PENDING' && (
          <Link className="button" data-kind="quiet" to="/approvals">
            {money.payouts.openApprovals}
          </Link>
        )}
        <Button onClick={onAnother}>{money.payouts.another}</Button>
      </div>
    </Screen>
  )
}
