import type { ReactNode } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Screen } from './frame.tsx'
import { realm } from './realm.ts'
import type { User } from './request-wallet.ts'
import { Link } from './route.ts'
import { writePayLink } from './scanned.ts'
import { words } from './words.ts'

/** The user's own code, which others scan to send money. */
export function Receive({ user }: { readonly user: User }): ReactNode {
  const { fullName, isDiscoverable } = user
  const username = user.username ?? ''
  const link = writePayLink(username, { origin: location.origin, realm })
  return (
    <Screen heading={words.receive.heading} back="/">
      {!isDiscoverable && (
        <Notice kind="wait">
          {words.receive.notFound} <Link to="/settings">{words.nav.settings}</Link>
        </Notice>
      )}
      <div className="wallet-recipient card card-body">
        <Avatar name={fullName} size="l" />
        <p className="wallet-recipient-name">{fullName}</p>
        <p className="soft">@{username}</p>
        <div className="wallet-qr">
          <QrCode content={link} label={words.receive.qr} />
        </div>
        <p className="soft">{words.receive.lead}</p>
        <CopyButton text={link} label={words.receive.copy} />
      </div>
    </Screen>
  )
}
