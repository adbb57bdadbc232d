import { useState, type ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useAmount } from './amount-fields.tsx'
import { act, type Bought } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { Confirm } from './confirm.tsx'
import { useBalances } from './money.tsx'
import { Done, Loaded } from './parts.tsx'
import { useAct } from './use-act.ts'
import { isAboutAmount, useShownRefusal } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

const recipientCodes: ReadonlySet<string> = new Set(['USER_NOT_FOUND', 'WALLET_SELF', 'PEOPLE_TOO_MANY'])

export function Buy(): ReactNode {
  const balances = useBalances()
  const buying = useAct<Bought>()
  const { refusal } = buying
  const { amount, currency, fields, check } = useAmount(balances.held, refusal)
  const [recipient, setRecipient] = useState('')
  const [shown, hideRefusal] = useShownRefusal(refusal)
  const isAboutRecipient = shown !== null && recipientCodes.has(shown.code)
  if (buying.done !== null)
    return (
      <Screen heading={words.buy.heading}>
        <Done
          heading={words.buy.done}
          lead={recipient.trim() === '' ? words.buy.doneMine : words.buy.doneGift(recipient.trim())}
          to="/vouchers"
        />
      </Screen>
    )
  const buy = (pin: string | undefined) => {
    const gift = recipient.trim() === '' ? {} : { for: recipient.trim() }
    const body = { amount, currency, ...gift, pin }
    buying.start((key) => act('/wallet/vouchers', body, key))
  }
  const others = refusal !== null && (isAboutAmount(refusal) || recipientCodes.has(refusal.code)) ? null : refusal
  return (
    <Screen heading={words.buy.heading} back="/vouchers">
      <Loaded known={balances} placeholder={<Skeleton shape="block" />}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.home.nothingLead}</Notice>
          ) : (
            <Confirm label={words.buy.act} act={{ state: buying.state, refusal: others }} check={check} onConfirm={buy}>
              {fields}
              <Field
                label={words.buy.for}
                hint={words.buy.forHint}
                autoCapitalize="none"
                spellCheck={false}
                value={recipient}
                error={isAboutRecipient ? describeError(shown) : ''}
                onChange={(event) => {
                  setRecipient(event.target.value)
                  hideRefusal()
                }}
              />
            </Confirm>
          )
        }
      </Loaded>
    </Screen>
  )
}
