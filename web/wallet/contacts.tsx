import type { ReactNode } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import './contacts.css'
import { useKnown } from './known.ts'
import type { Contact, Contacts as ContactsResponse, Recipient } from './request-wallet.ts'
import { Link } from './route.ts'
import { words } from './words.ts'

type Chosen = Pick<Recipient, 'fullName' | 'username'>

/** The users whom the user has sent money to, to send to again, and the shops that were paid. */
export function Contacts({ onChoose }: { readonly onChoose: (recipient: Chosen) => void }): ReactNode {
  const { data } = useKnown<ContactsResponse>('/wallet/contacts')
  const all = data?.contacts ?? []
  const [users, shops] = [all.filter(isUser), all.filter((each) => !isUser(each))]
  return (
    <>
      {users.length > 0 && (
        <section>
          <h2 className="wallet-title">{words.send.recent}</h2>
          <ul className="contacts">
            {users.map(({ name, username }) => (
              <li key={username}>
                <button type="button" onClick={() => onChoose({ fullName: name, username })}>
                  <Avatar name={name} size="l" />
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {shops.length > 0 && (
        <section>
          <h2 className="wallet-title">{words.send.shops}</h2>
          <ul className="contacts">
            {shops.map(({ name }) => (
              <li key={name}>
                <Link to={`/activity?search=${encodeURIComponent(name)}`}>
                  <Avatar name={name} size="l" />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
          <p className="soft">{words.send.shopsLead}</p>
        </section>
      )}
    </>
  )
}

function isUser({ kind }: Contact): boolean {
  return kind === 'user'
}
