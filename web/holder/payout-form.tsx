import { type ReactNode, type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { isZero } from '../ui/decimal.ts'
import { readDecimal } from '../ui/numbers.ts'
import { Field } from '../ui/field.tsx'
import { serverText } from '../ui/locale.ts'
import { Notice } from '../ui/notice.tsx'
import type { Refusal } from '../ui/send-request.ts'
import type { PayoutOption, Voucher } from './request-voucher.ts'
import { useFocusedHeading } from './use-focused-heading.ts'
import { words } from './words.ts'

/** The amount, or "max" for everything, and the address. With the currency and network of an offchain voucher. */
export type PayoutInput = {
  readonly amount: string
  readonly walletAddress: string
  readonly currency?: string
  readonly network?: string
}

/** Nothing typed yet. The refund of a deposit is mostly taken as a whole. */
export function noPayout({ payoutOptions: [first] }: Voucher): PayoutInput {
  const nothing = { amount: '', walletAddress: '' }
  return first === undefined ? nothing : { ...nothing, amount: 'max', currency: first.currency, network: first.network }
}

type PayoutFormProps = {
  readonly voucher: Voucher
  readonly initial: PayoutInput
  readonly refusal: Refusal | null
  readonly isLoading: boolean
  readonly onInput: (input: PayoutInput) => void
  readonly onCancel: () => void
}

const addressForm = /^0x[0-9a-fA-F]{40}$/
const addressProps = {
  face: 'code',
  placeholder: '0x…',
  autoCapitalize: 'off',
  autoComplete: 'off',
  autoCorrect: 'off',
  spellCheck: 'false',
  maxLength: 100,
} as const
const aboutAddress = new Set(['WALLET_ADDRESS_INVALID', 'WALLET_ADDRESS_DENIED'])

export function PayoutForm({ voucher, initial, refusal, isLoading, onInput, onCancel }: PayoutFormProps): ReactNode {
  const [amount, setAmount] = useState(initial.amount)
  const [walletAddress, setWalletAddress] = useState(initial.walletAddress)
  const { payoutOptions } = voucher
  const [place, setPlace] = useState(
    Math.max(
      0,
      payoutOptions.findIndex((each) => isChosen(each, initial)),
    ),
  )
  const option = payoutOptions[place]
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const heading = useFocusedHeading()
  const decimal = readDecimal(amount)
  const isAmount = amount === 'max' || (/^\d+(\.\d+)?$/.test(decimal) && !isZero(decimal))
  const isAddress = addressForm.test(walletAddress.trim())
  // The refusal is about the input that was sent.
  const isSameText = amount === initial.amount && walletAddress === initial.walletAddress
  const isUnchanged = isSameText && (option === undefined || isChosen(option, initial))
  const shown = isUnchanged && !isLoading ? refusal : null
  const addressError = shown !== null && aboutAddress.has(shown.code) ? describeRefusal(shown) : ''

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (!isAmount || !isAddress || isLoading) return
    const wanted = { amount: amount === 'max' ? amount : decimal, walletAddress: walletAddress.trim() }
    onInput(option === undefined ? wanted : { ...wanted, currency: option.currency, network: option.network })
  }
  return (
    <form className="payout-step" noValidate onSubmit={submit}>
      <h2 id="payout-heading" ref={heading} tabIndex={-1}>
        {words.payout.heading}
      </h2>
      <AmountField
        currency={voucher.currency.abbreviation}
        amount={amount}
        isInvalid={wasSubmitted && !isAmount}
        onAmount={setAmount}
      />
      <OptionField options={payoutOptions} place={place} onPlace={setPlace} />
      <Field
        label={words.payout.address}
        hint={words.payout.addressHint(option?.networkName ?? voucher.onchain?.network ?? '')}
        {...addressProps}
        value={walletAddress}
        error={wasSubmitted && !isAddress ? words.payout.addressInvalid : addressError}
        onChange={(event) => setWalletAddress(event.target.value)}
      />
      <Notice>{words.payout.careful}</Notice>
      {shown !== null && addressError === '' && <Notice kind="error">{describeRefusal(shown)}</Notice>}
      <div className="payout-acts">
        <Button kind="main" size="l" type="submit" aria-disabled={isLoading}>
          {isLoading ? words.payout.loading : words.payout.continue}
        </Button>
        <Button kind="bare" size="l" onClick={onCancel}>
          {words.payout.cancel}
        </Button>
      </div>
    </form>
  )
}

function isChosen(option: PayoutOption, { currency, network }: PayoutInput): boolean {
  return option.currency === currency && option.network === network
}

type OptionFieldProps = {
  readonly options: readonly PayoutOption[]
  readonly place: number
  readonly onPlace: (place: number) => void
}

/** In what an offchain voucher is paid. An onchain voucher has no choice. */
function OptionField({ options, place, onPlace }: OptionFieldProps) {
  if (options.length === 0) return null
  return (
    <Choice
      label={words.payout.option}
      options={options.map((each, i) => [String(i), words.payout.optionOn(each.currency, each.networkName)])}
      value={place}
      onChange={(event) => onPlace(Number(event.target.value))}
    />
  )
}

type AmountFieldProps = {
  readonly currency: string
  readonly amount: string
  readonly isInvalid: boolean
  readonly onAmount: (amount: string) => void
}

/** Shows words instead of "max". Typing replaces them. */
function AmountField({ currency, amount, isInvalid, onAmount }: AmountFieldProps) {
  const isFull = amount === 'max'
  const { everything } = words.payout
  return (
    <div className="payout-amount">
      <Field
        label={words.payout.amount(currency)}
        inputMode="decimal"
        autoComplete="off"
        value={isFull ? everything : amount}
        error={isInvalid ? words.payout.amountInvalid : ''}
        onFocus={(event) => event.target.select()}
        onChange={({ target: { value } }) => onAmount(isFull ? value.replace(everything, '') : value)}
      />
      <Button aria-pressed={isFull} onClick={() => onAmount(isFull ? '' : 'max')}>
        {everything}
      </Button>
    </div>
  )
}

function describeRefusal({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.payout.refusals
  return known[code] ?? serverText(message) ?? words.failures.broken.lead
}
