import { useEffect } from 'react'
import { Button } from '../ui/button.tsx'
import type { Answer } from '../ui/ask-server.ts'
import { useSaid } from '../ui/use-said.tsx'
import type { Merchant, Person } from './answers.ts'
import { act, forgetAll } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { enter, lastPlace, leave } from './place.ts'
import { Empty } from './shop.tsx'
import { sayRefusal, words } from './words.ts'

type ChooseShopProps = { readonly person: Person; readonly merchants: readonly Merchant[] }

/** Goes where he was last, or to his only shop; else he chooses. */
export function ChooseShop({ person, merchants }: ChooseShopProps) {
  const last = lastPlace()
  const known = merchants.some(({ code }) => code === last?.code) ? last : null
  const [only] = merchants
  const next =
    known ?? (merchants.length === 1 && only !== undefined ? { code: only.code, mode: 'live' as const } : null)
  useEffect(() => {
    if (next !== null) enter(next, 'replace')
  })
  if (next !== null) return <Screen heading={words.oneMoment}>{null}</Screen>
  if (merchants.length === 0)
    return (
      <Screen heading={words.shop.none}>
        <p>{words.shop.noneLead}</p>
        <p className="soft">{person.email}</p>
        <div className="acts">
          <SignOut />
        </div>
      </Screen>
    )
  return (
    <Screen heading={words.shop.choose}>
      <ul className="shop-list">
        {merchants.map(({ code, name, role }) => (
          <li key={code}>
            <button type="button" onClick={() => enter({ code, mode: 'live' })}>
              <strong>{name}</strong>
              <span className="soft">{words.shop.roles[role]}</span>
            </button>
          </li>
        ))}
      </ul>
    </Screen>
  )
}

export function UnknownShop() {
  return (
    <Screen heading={words.shop.unknown}>
      <Empty heading={words.shop.unknown} lead={words.shop.unknownLead}>
        <Button kind="main" onClick={leave}>
          {words.shop.others}
        </Button>
      </Empty>
    </Screen>
  )
}

/** Nothing of him stays. */
async function signOut(): Promise<Answer<object>> {
  const answer = await act<object>('/auth/staff/sign-out', {})
  // One that the server has not heard of is none.
  if ('refusal' in answer && answer.refusal.code !== 'SESSION_MISSING') return answer
  forgetAll()
  leave()
  return answer
}

export function SignOut() {
  const { tell, shown } = useSaid(sayRefusal)
  return (
    <>
      <Button onClick={() => void signOut().then((answer) => tell(answer, ''))}>{words.account.signOut}</Button>
      {shown}
    </>
  )
}
