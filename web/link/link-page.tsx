import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageFrame, PageHeading } from '../ui/page-frame.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Refusal } from '../ui/ask-server.ts'
import { type Link, lookAtLink } from './ask-link.ts'
import { LinkForm } from './link-form.tsx'

type View =
  | { readonly kind: 'looking' }
  | { readonly kind: 'open'; readonly link: Link }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'done'; readonly link: Link }

const dead = { code: 'LINK_DEAD', message: '' }

/** What a mailed link opens. The token is in the fragment of the address, which no browser sends anywhere. */
export function LinkPage() {
  const [token] = useState(() => location.hash.slice(1))
  const [view, setView] = useState<View>({ kind: 'looking' })
  const [tries, setTries] = useState(0)

  useEffect(() => {
    let isLeft = false
    const look = /^[\w-]{43}$/.test(token) ? lookAtLink(token) : Promise.resolve({ refusal: dead })
    void look.then((answer) => {
      if (isLeft) return
      setView('refusal' in answer ? { kind: 'refused', refusal: answer.refusal } : { kind: 'open', link: answer.data })
    })
    return () => {
      isLeft = true
    }
  }, [token, tries])

  const lookAgain = () => {
    setView({ kind: 'looking' })
    setTries(tries + 1)
  }
  const isTest = 'link' in view && view.link.realm === 'test'
  return (
    <PageFrame name="Scrip" isTest={isTest} status={statusOf(view)}>
      <Content
        view={view}
        token={token}
        onDone={(link) => {
          // Used up. Whoever opens this address again finds nothing in it.
          history.replaceState(null, '', location.pathname)
          setView({ kind: 'done', link })
        }}
        onRetry={lookAgain}
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
    case 'looking':
      return (
        <Paper heading="Looking at your link">
          <Skeleton />
          <Skeleton shape="short" />
        </Paper>
      )
    case 'open':
      return <LinkForm link={view.link} token={token} onDone={() => onDone(view.link)} />
    case 'done':
      return (
        <Paper heading={doneWords[view.link.purpose].heading}>
          <p>{doneWords[view.link.purpose].text}</p>
          {view.link.realm !== 'staff' && (
            <p>
              <a href={`/app?mode=${view.link.realm}`}>To the wallet</a>
            </p>
          )}
        </Paper>
      )
    case 'refused':
      return view.refusal.code === 'LINK_DEAD' ? (
        <Paper heading="This link no longer works">
          <p>It was used already, or its time is over. Ask for a new one where you asked for this one.</p>
        </Paper>
      ) : (
        <Paper heading="That did not work" act={<Button onClick={onRetry}>Try again</Button>}>
          <Notice kind="error">{view.refusal.message}</Notice>
        </Paper>
      )
  }
}

const doneWords = {
  sign_up: { heading: 'Welcome', text: 'Your address is confirmed. You can sign in now.' },
  reset: { heading: 'Your password is changed', text: 'You were signed out everywhere. Sign in with the new one.' },
  invite: { heading: 'You are in', text: 'You can sign in now.' },
}

type PaperProps = { readonly heading: string; readonly act?: ReactNode; readonly children: ReactNode }

function Paper({ heading, act, children }: PaperProps) {
  return (
    <Sheet act={act}>
      <PageHeading>{heading}</PageHeading>
      {children}
    </Sheet>
  )
}

function statusOf(view: View): string {
  if (view.kind === 'looking') return 'Looking at your link.'
  return view.kind === 'done' ? doneWords[view.link.purpose].text : ''
}
