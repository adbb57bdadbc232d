import { type ReactNode, type SubmitEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMark } from '../../ui/use-mark.ts'
import type { PendingOutflow, ShownVoucher, SupportedNetwork } from '../shell/responses.ts'
import { act, useAct, useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { IssuedTicket } from './issued-ticket.tsx'
import { isPending, PendingScreen } from '../approvals/pending.tsx'
import { Link } from '../shell/place.ts'
import { formatMoney } from '../shell/shop.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { useTerms } from './use-terms.tsx'
import { describeError, words } from '../words/words.ts'

type Options = {
  readonly lockPin: string
  readonly email: string
  readonly isSent: boolean
  readonly isOnchain: boolean
  /** Empty: the first that can hold it. */
  readonly network: string
}

const lockPinLength = 4
const noOptions: Options = { lockPin: '', email: '', isSent: true, isOnchain: false, network: '' }

export function IssueVoucher(): ReactNode {
  const terms = useTerms()
  const [options, setOptions] = useState(noOptions)
  const issuing = useAct<ShownVoucher | PendingOutflow>()
  const { state, done, start } = issuing
  const pin = usePin(issuing)
  const isBusy = state !== 'idle'
  const { lockPin, isSent } = options
  const email = options.email.trim()
  const { amount, currency } = terms.input
  const networks = useVaultNetworks(currency)
  const network = networks.find(({ abbreviation }) => abbreviation === options.network) ?? networks[0]
  const lockPinMark = useMark(lockPin === '' || lockPin.length === lockPinLength)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (![terms.check(), lockPinMark.check(), pin.check()].every(Boolean)) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const body = {
      ...terms.input,
      ...(lockPin !== '' && { lockPin }),
      ...(options.isOnchain && network !== undefined && { onchain: true, network: network.abbreviation }),
      ...(email !== '' && { forEmail: email, sendEmail: isSent }),
      pin: pin.take(),
    }
    start((referenceId) => act('/merchant-integrations-server/vouchers', { ...body, referenceId }))
  }
  const issueAnother = () => {
    issuing.again()
    setOptions({ ...options, lockPin: '', email: '' })
  }
  const label = terms.isAmount ? words.issue.act(formatMoney(amount, currency)) : words.issue.actEmpty
  const sentTo = isSent ? email : ''
  if (done !== null && isPending(done))
    return (
      <PendingScreen pending={done} kind="voucher" email={sentTo}>
        <Button onClick={issueAnother}>{words.issue.another}</Button>
      </PendingScreen>
    )
  if (done !== null) return <IssuedScreen voucher={done} sentTo={sentTo} onAnother={issueAnother} />
  return (
    <Screen heading={words.issue.heading} back="/vouchers">
      <form className="fields" noValidate onChange={issuing.forget} onSubmit={submit}>
        {terms.fields}
        <OnchainFields networks={networks} options={options} isDisabled={isBusy} onChange={setOptions} />
        <OptionFields options={options} isDisabled={isBusy} isPinShort={lockPinMark.isMarked} onChange={setOptions} />
        {pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : label}
          </Button>
        </div>
      </form>
    </Screen>
  )
}

type OnchainFieldsProps = OptionFieldsProps & { readonly networks: readonly SupportedNetwork[] }

/** Offered where a network has a contract for the currency. */
function OnchainFields({ networks, options, isDisabled, onChange }: OnchainFieldsProps) {
  const hint = useId()
  if (networks.length === 0) return null
  const { isOnchain, network } = options
  return (
    <div className="fields">
      <label className="tick">
        <input
          type="checkbox"
          checked={isOnchain}
          disabled={isDisabled}
          aria-describedby={hint}
          onChange={(event) => onChange({ ...options, isOnchain: event.target.checked })}
        />
        {words.onchain.issue}
      </label>
      <p className="soft" id={hint}>
        {words.onchain.issueHint}
      </p>
      {isOnchain && (
        <Choice
          label={words.onchain.network}
          value={network}
          disabled={isDisabled}
          onChange={(event) => onChange({ ...options, network: event.target.value })}
          options={networks.map(({ abbreviation, networkName }) => [abbreviation, networkName])}
        />
      )}
    </div>
  )
}

/** The networks that can hold vouchers in a currency. */
function useVaultNetworks(currency: string): readonly SupportedNetwork[] {
  const { data } = useKnown<readonly SupportedNetwork[]>('/merchant-integrations/fetch-supported-cryptonetworks')
  const hasVault = ({ cryptocurrencies }: SupportedNetwork): boolean =>
    cryptocurrencies.some((each) => each.currencyData.abbrev === currency && each.platformContractAddress !== '')
  return (data ?? []).filter(hasVault)
}

type OptionFieldsProps = {
  readonly options: Options
  readonly isDisabled: boolean
  readonly onChange: (options: Options) => void
}

/** The PIN of the voucher, and its recipient. */
function OptionFields({
  options,
  isDisabled,
  isPinShort,
  onChange,
}: OptionFieldsProps & { readonly isPinShort: boolean }) {
  const { lockPin, email, isSent } = options
  return (
    <>
      <DigitsField
        label={words.issue.pin}
        hint={words.issue.pinHint}
        error={isPinShort ? words.issue.pinShort : ''}
        length={lockPinLength}
        value={lockPin}
        disabled={isDisabled}
        onDigits={(digits) => onChange({ ...options, lockPin: digits })}
      />
      <Field
        label={words.issue.email}
        hint={words.issue.emailHint}
        type="email"
        autoComplete="off"
        value={email}
        disabled={isDisabled}
        onChange={(event) => onChange({ ...options, email: event.target.value })}
      />
      {email.trim() !== '' && (
        <label className="tick">
          <input
            type="checkbox"
            checked={isSent}
            onChange={(event) => onChange({ ...options, isSent: event.target.checked })}
          />
          {words.issue.send}
        </label>
      )}
    </>
  )
}

type IssuedScreenProps = {
  readonly voucher: ShownVoucher
  /** Empty: the voucher was not sent by email. */
  readonly sentTo: string
  readonly onAnother: () => void
}

function IssuedScreen({ voucher, sentTo, onAnother }: IssuedScreenProps) {
  return (
    <Screen heading={words.issue.done} back="/vouchers">
      {voucher.onchainProcessing && <Notice>{words.onchain.issued}</Notice>}
      <p>{sentTo === '' ? words.issue.doneLead : words.issue.sentTo(sentTo)}</p>
      <IssuedTicket voucher={voucher} />
      <div className="acts">
        <Button kind="main" onClick={onAnother}>
          {words.issue.another}
        </Button>
        <Button onClick={() => print()}>{words.print}</Button>
        <Link className="button" data-kind="quiet" to={`/vouchers/${voucher.id}`}>
          {words.issue.open}
        </Link>
      </div>
    </Screen>
  )
}
