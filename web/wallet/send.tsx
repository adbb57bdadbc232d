import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { isZero } from '../ui/decimal.ts'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Refusal } from '../ui/send-request.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { useAmount } from './amount-fields.tsx'
import { Confirm } from './confirm.tsx'
import { Contacts } from './contacts.tsx'
import { Screen } from './frame.tsx'
import { Money, useBalances, useWriteMoney } from './money.tsx'
import { Done, Loaded } from './parts.tsx'
import { act, read, type Recipient } from './request-wallet.ts'
import { useAct } from './use-act.ts'
import { isAboutAmount } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

type Chosen = { readonly recipient: Pick<Recipient, 'fullName' | 'username'>; readonly to: string }

/** First the recipient, whose full name the user checks, then the amount. A pay link names the recipient. */
export function Send({ to = '' }: { readonly to?: string | undefined }): ReactNode {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  if (chosen !== null) return <SendTo {...chosen} onAnother={() => setChosen(null)} />
  return (
    <Screen heading={words.send.heading} back="/">
      <FindRecipient first={to} onFound={setChosen} />
      <Contacts onChoose={(recipient) => setChosen({ recipient, to: recipient.username })} />
    </Screen>
  )
}

type FindRecipientProps = { readonly first: string; readonly onFound: (chosen: Chosen) => void }

function FindRecipient({ first, onFound }: FindRecipientProps) {
  const [to, setTo] = useState(first)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isMissing, setIsMissing] = useState(false)
  const [isLoading, setIsLoading] = useState(first !== '')
  useEffect(() => {
    if (first === '') return
    let isGone = false
    void findRecipient(first).then((answer) => {
      if (isGone) return
      setIsLoading(false)
      if ('data' in answer) onFound({ recipient: answer.data, to: first })
      else setRefusal(answer.refusal)
    })
    return () => {
      isGone = true
    }
  }, [first, onFound])
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isLoading) return
    const typed = to.trim()
    setIsMissing(typed === '')
    if (typed === '') {
      focusFirstInvalid(event.currentTarget)
      return
    }
    setIsLoading(true)
    void findRecipient(typed).then((answer) => {
      setIsLoading(false)
      setRefusal('refusal' in answer ? answer.refusal : null)
      if ('data' in answer) onFound({ recipient: answer.data, to: typed })
    })
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Field
        label={words.send.to}
        hint={words.send.toHint}
        autoCapitalize="none"
        spellCheck={false}
        value={to}
        error={isMissing ? words.send.toMissing : refusal === null ? '' : describeError(refusal)}
        onChange={(event) => {
          setTo(event.target.value)
          setIsMissing(false)
          setRefusal(null)
        }}
      />
      <Button kind="main" size="l" isWide type="submit" aria-disabled={isLoading}>
        {isLoading ? words.oneMoment : words.send.find}
      </Button>
    </form>
  )
}

function findRecipient(to: string): ReturnType<typeof read<Recipient>> {
  return read<Recipient>(`/wallet/people/${encodeURIComponent(to)}`)
}

type SendToProps = Chosen & { readonly onAnother: () => void }

function SendTo({ recipient: { fullName, username }, to, onAnother }: SendToProps) {
  const balances = useBalances()
  const write = useWriteMoney()
  const sending = useAct<object>()
  const { state, refusal } = sending
  const { amount, currency, fields, check } = useAmount(balances.held, refusal)
  const [note, setNote] = useState('')
  const [sent, setSent] = useState({ amount: '', currency: '' })
  if (sending.done !== null)
    return (
      <Screen heading={words.send.heading}>
        <Done heading={words.send.sent} lead={words.send.sentLead(fullName)}>
          <Money value={sent.amount} code={sent.currency} size="large" isDue />
        </Done>
      </Screen>
    )
  const send = (pin: string | undefined) => {
    setSent({ amount, currency })
    const body = { to, amount, currency, note: note.trim(), pin }
    sending.start((key) => act('/wallet/send', body, key))
  }
  const others = refusal !== null && isAboutAmount(refusal) ? null : refusal
  const isAmount = /^\d+(\.\d+)?$/.test(amount) && !isZero(amount)
  const label = isAmount ? words.send.actAmount(write(amount, currency)) : words.send.act
  return (
    <Screen heading={words.send.heading} back="/">
      <div className="wallet-recipient">
        <Avatar name={fullName} size="l" />
        <p className="wallet-recipient-name">{words.send.lead(fullName)}</p>
        <p className="soft">@{username}</p>
        <Button kind="bare" size="s" onClick={onAnother}>
          {words.send.another}
        </Button>
      </div>
      <Loaded known={balances} placeholder={<Skeleton shape="block" />}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.home.nothingLead}</Notice>
          ) : (
            <Confirm label={label} act={{ state, refusal: others }} check={check} onConfirm={send}>
              {fields}
              <Field
                label={words.send.note}
                hint={words.send.noteHint}
                maxLength={200}
                value={note}
                onChange={(event) => setNote(event.target.value)}
              />
            </Confirm>
          )
        }
      </Loaded>
    </Screen>
  )
}
