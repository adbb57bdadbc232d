import { useState } from 'react'
import { readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { AmountFields } from './amount-fields.tsx'
import { act } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { Confirm, Done, Loaded, useBalances } from './parts.tsx'
import { Link } from './route.tsx'
import { useAct } from './use-act.ts'
import { words } from './words.ts'

export function Buy() {
  const balances = useBalances()
  const [amount, setAmount] = useState('')
  const [code, setCode] = useState('')
  const [who, setWho] = useState('')
  const buying = useAct<{ readonly id: string }>()
  const currency = code === '' ? (balances.held[0]?.currency ?? '') : code
  if (buying.done !== null)
    return (
      <Screen heading={words.buy.heading}>
        <Done heading={words.buy.done} lead={who.trim() === '' ? words.buy.doneMine : words.buy.doneGift(who.trim())} />
        <div className="wallet-acts">
          <Link className="button" data-kind="main" to="/vouchers">
            {words.done}
          </Link>
        </div>
      </Screen>
    )
  const buy = (pin: string | undefined) => {
    const gift = who.trim() === '' ? {} : { for: who.trim() }
    const body = { amount: readDecimal(amount), currency, ...gift, ...(pin !== undefined && { pin }) }
    buying.start((key) => act('/wallet/vouchers', body, key))
  }
  return (
    <Screen heading={words.buy.heading} back="/vouchers">
      <Loaded known={balances}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.home.nothingLead}</Notice>
          ) : (
            <Confirm label={words.buy.act} act={buying} isDisabled={amount.trim() === ''} onConfirm={buy}>
              <AmountFields
                held={balances.held}
                amount={amount}
                currency={currency}
                onAmount={setAmount}
                onCurrency={setCode}
              />
              <Field
                label={words.buy.for}
                hint={words.buy.forHint}
                autoCapitalize="none"
                spellCheck={false}
                value={who}
                onChange={(event) => setWho(event.target.value)}
              />
            </Confirm>
          )
        }
      </Loaded>
    </Screen>
  )
}
