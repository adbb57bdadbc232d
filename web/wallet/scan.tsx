import { QrCode } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Screen } from './frame.tsx'
import { realm } from './realm.ts'
import { go, Link } from './route.ts'
import { readScanned } from './scanned.ts'
import { words } from './words.ts'

// The QR reader is large, so it is loaded only when the camera is used.
const Camera = lazy(() => import('../ui/scan.tsx'))

/** Reads the code of a payment request, a voucher or a user, and opens its screen. */
export function Scan(): ReactNode {
  const [fault, setFault] = useState('')
  // The camera reads the same code several times before the next screen is there.
  const isRead = useRef(false)
  const open = (text: string) => {
    if (isRead.current) return
    const scanned = readScanned(text, { origin: location.origin, realm })
    isRead.current = 'id' in scanned || 'code' in scanned || 'username' in scanned
    if (scanned.kind === 'request') go(`/pay/${scanned.id}`, 'replace')
    else if (scanned.kind === 'voucher') go(`/redeem#${encodeURIComponent(scanned.code)}`, 'replace')
    else if (scanned.kind === 'user') go(`/send/${scanned.username}`, 'replace')
    else setFault(scanned.kind === 'unknown' ? words.scan.notPayment : words.scan.otherMode)
  }
  return (
    <Screen heading={words.scan.heading} back="/">
      {/* The camera goes on, so that the user can show it another code. */}
      {fault !== '' && <Notice kind="error">{fault}</Notice>}
      <Suspense fallback={<Skeleton shape="square" />}>
        <Camera words={words.scan} readsLinks onCode={open} onStop={() => go('/redeem')} />
      </Suspense>
      <Link className="button" data-kind="quiet" to="/receive">
        <QrCode aria-hidden="true" />
        {words.scan.mine}
      </Link>
    </Screen>
  )
}
