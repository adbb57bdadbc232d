import { FlaskConical } from 'lucide-react'
import { type ChangeEvent, type ReactNode, useState } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { place } from '../shell/place.ts'
import { act } from '../shell/request-dashboard.ts'
import { useCurrencies, useShop } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { DeveloperTabs } from './developer-tabs.tsx'
import { SandboxForm } from './sandbox-form.tsx'

const text = developers.sandbox

/** What a test needs and only another person or a network could do otherwise. The server refuses it in live mode. */
export function Sandbox(): ReactNode {
  return (
    <DeveloperTabs tab="sandbox">
      {place?.mode === 'test' ? (
        <>
          <p className="soft">{text.lead}</p>
          <div className="sandbox">
            <IssueVoucher />
            <Fund />
            <AnswerRequest />
            <PayDeposit />
            <ExpireHold />
          </div>
        </>
      ) : (
        <Empty icon={FlaskConical} heading={text.liveHeading} lead={text.liveLead} />
      )}
    </DeveloperTabs>
  )
}

type Typed = {
  readonly value: string
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => void
}

function useTyped(first: string): Typed {
  const [value, setValue] = useState(first)
  return { value, onChange: (event) => setValue(event.target.value) }
}

const amountForm = /^\d{1,15}([.,]\d{1,18})?$/

function readAmount(typed: string): string {
  return typed.trim().replace(',', '.')
}

function AmountFields({ amount, currency, error }: { amount: Typed; currency: Typed; error: string }) {
  const currencies = useCurrencies()
  return (
    <div className="sandbox-amount">
      <Field label={text.amount} error={error} inputMode="decimal" autoComplete="off" maxLength={40} {...amount} />
      <Choice
        label={text.currency}
        {...currency}
        options={currencies.map(({ abbreviation }) => [abbreviation, abbreviation])}
      />
    </div>
  )
}

function useAmount(first: string): { amount: Typed; currency: Typed; isValid: boolean } {
  const amount = useTyped(first)
  const currency = useTyped(useShop().merchant.homeCurrency)
  return { amount, currency, isValid: amountForm.test(amount.value.trim()) }
}

function IssueVoucher() {
  const { amount, currency, isValid } = useAmount('50')
  const lockPin = useTyped('')
  const faults = useFaults({
    ...(!isValid && { amount: text.amountInvalid }),
    ...(!/^(\d{4})?$/.test(lockPin.value) && { pin: text.pinInvalid }),
  })
  const body = {
    ...{ amount: readAmount(amount.value), currency: currency.value },
    ...(lockPin.value !== '' && { lockPin: lockPin.value }),
  }
  return (
    <SandboxForm<{ readonly code: string }>
      heading={text.issue}
      lead={text.issueLead}
      check={faults.check}
      acts={[
        {
          label: text.issueAct,
          perform: (key) => act('/sandbox/vouchers', body, key),
          say: ({ code }) => (
            <span className="key-shown">
              {text.issued} <code>{code}</code> <CopyButton text={code} label={text.copyCode} kind="bare" size="s" />
            </span>
          ),
        },
      ]}
    >
      <AmountFields amount={amount} currency={currency} error={faults.of('amount')} />
      <Field
        label={text.pin}
        hint={text.pinHint}
        error={faults.of('pin')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        {...lockPin}
      />
    </SandboxForm>
  )
}

function Fund() {
  const { amount, currency, isValid } = useAmount('1000')
  const account = useTyped('balance')
  const user = useTyped('')
  const isUser = account.value === 'user'
  const faults = useFaults({
    ...(!isValid && { amount: text.amountInvalid }),
    ...(isUser && user.value.trim() === '' && { user: text.userMissing }),
  })
  const body = {
    ...{ amount: readAmount(amount.value), currency: currency.value },
    ...(isUser ? { user: user.value.trim() } : { account: account.value }),
  }
  return (
    <SandboxForm<object>
      heading={text.fund}
      lead={text.fundLead}
      check={faults.check}
      acts={[{ label: text.fundAct, perform: (key) => act('/sandbox/fund', body, key), say: () => text.funded }]}
    >
      <AmountFields amount={amount} currency={currency} error={faults.of('amount')} />
      <Choice label={text.account} {...account} options={Object.entries(text.accounts)} />
      {isUser && (
        <Field
          label={text.user}
          hint={text.userHint}
          error={faults.of('user')}
          autoComplete="off"
          maxLength={254}
          {...user}
        />
      )}
    </SandboxForm>
  )
}

function AnswerRequest() {
  const reference = useTyped('')
  const faults = useFaults(reference.value.trim() === '' ? { reference: text.referenceMissing } : {})
  const path = `/sandbox/payment-requests/${encodeURIComponent(reference.value.trim())}`
  return (
    <SandboxForm<object>
      heading={text.answer}
      lead={text.answerLead}
      check={faults.check}
      acts={[
        {
          label: text.authorise,
          perform: (key) => act(`${path}/authorise`, {}, key),
          say: () => text.authorised,
        },
        { label: text.decline, perform: (key) => act(`${path}/decline`, {}, key), say: () => text.declined },
      ]}
    >
      <Field label={text.reference} error={faults.of('reference')} autoComplete="off" maxLength={128} {...reference} />
    </SandboxForm>
  )
}

function PayDeposit() {
  const reference = useTyped('')
  const outcome = useTyped('exact')
  const faults = useFaults(reference.value.trim() === '' ? { reference: text.referenceMissing } : {})
  const path = `/sandbox/deposits/${encodeURIComponent(reference.value.trim())}/pay`
  return (
    <SandboxForm<object>
      heading={text.pay}
      lead={text.payLead}
      check={faults.check}
      acts={[
        { label: text.payAct, perform: (key) => act(path, { outcome: outcome.value }, key), say: () => text.paid },
      ]}
    >
      <Field label={text.reference} error={faults.of('reference')} autoComplete="off" maxLength={128} {...reference} />
      <Choice label={text.outcome} {...outcome} options={Object.entries(text.outcomes)} />
    </SandboxForm>
  )
}

function ExpireHold() {
  const hold = useTyped('')
  const faults = useFaults(hold.value.trim() === '' ? { hold: text.holdMissing } : {})
  const path = `/sandbox/voucher-holds/${encodeURIComponent(hold.value.trim())}/expire`
  return (
    <SandboxForm<object>
      heading={text.expire}
      lead={text.expireLead}
      check={faults.check}
      acts={[{ label: text.expireAct, perform: (key) => act(path, {}, key), say: () => text.expired }]}
    >
      <Field label={text.hold} error={faults.of('hold')} autoComplete="off" maxLength={64} {...hold} />
    </SandboxForm>
  )
}
