import { CircleCheck, Unlink, WifiOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Refusal } from '../ui/send-request.ts'
import { type Link, fetchLink } from './request-link.ts'
import { LinkForm } from './link-form.tsx'
import { LinkSheet } from './link-sheet.tsx'
import { describeError, words } from './words.ts'

type View =
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly link: Link }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'done'; readonly link: Link }

const deadLink: Refusal = { code: 'LINK_DEAD', message: '' }

/** The page of an emailed link. The token is in the URL fragment, which browsers do not send to the server. */
export function LinkPage(): ReactNode {
  const [token] = useState(() => location.hash.slice(1))
  const [view, setView] = useState<View>({ kind: 'loading' })
  const [tries, setTries] = useState(0)

  useEffect(() => {
    let isLeft = false
    const loaded = /^[\w-]{43}$/.test(token) ? fetchLink(token) : Promise.resolve({ refusal: deadLink })
    void loaded.then((answer) => {
      if (isLeft) return
      setView('refusal' in answer ? { kind: 'refused', refusal: answer.refusal } : { kind: 'open', link: answer.data })
    })
    return () => {
      isLeft = true
    }
  }, [token, tries])

  const retry = () => {
    setView({ kind: 'loading' })
    setTries(tries + 1)
  }
  const isTest = 'link' in view && view.link.realm === 'test'
  return (
    <PageFrame name={words.name} isTest={isTest} status={statusOf(view)} canReload={view.kind !== 'done'}>
      <Content
        view={view}
        token={token}
        onDone={(link) => {
          // The token is used: remove it from the address and the history.
          history.replaceState(null, '', location.pathname)
          setView({ kind: 'done', link })
        }}
        onRetry={retry}
      />
    </PageFrame>
  )
}

type ContentProps = {
  readonly view: View
  readonly token: string
  readonly onDone: (link: Link) => void
  readonly onRetry: () => void
}

function Content({ view, token, onDone, onRetry }: ContentProps) {
  switch (view.kind) {
    case 'loading':
      return (
        <LinkSheet heading={words.loading}>
          <Skeleton />
          <Skeleton shape="short" />
          <Skeleton />
          <Skeleton shape="short" />
        </LinkSheet>
      )
    case 'open':
      return <LinkForm link={view.link} token={token} onDone={() => onDone(view.link)} />
    case 'done':
      return (
        <LinkSheet icon={CircleCheck} heading={words[view.link.purpose].done} act={<NextPage link={view.link} />}>
          <p>{words[view.link.purpose].doneLead}</p>
        </LinkSheet>
      )
    case 'refused':
      return view.refusal.code === 'LINK_DEAD' ? (
        <LinkSheet icon={Unlink} ink="none" heading={words.ended}>
          <p>{words.endedLead}</p>
        </LinkSheet>
      ) : (
        <LinkSheet icon={WifiOff} ink="none" heading={words.failed} act={<TryAgain onRetry={onRetry} />}>
          <Notice kind="error">{describeError(view.refusal)}</Notice>
        </LinkSheet>
      )
  }
}

function TryAgain({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Button size="l" isWide onClick={onRetry}>
      {words.tryAgain}
    </Button>
  )
}

/** Staff sign in to the dashboard, and users to the wallet. */
function NextPage({ link: { realm } }: { readonly link: Link }) {
  const isStaff = realm === 'staff'
  return (
    <a className="button" data-kind="main" data-size="l" data-wide href={isStaff ? '/dashboard' : `/app?mode=${realm}`}>
      {isStaff ? words.openDashboard : words.openWallet}
    </a>
  )
}

function statusOf(view: View): string {
  if (view.kind === 'loading') return words.loading
  return view.kind === 'done' ? words[view.link.purpose].doneLead : ''
}
