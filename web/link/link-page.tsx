import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageFrame, PageHeading } from '../ui/page-frame.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Refusal } from '../ui/send-request.ts'
import { type Link, fetchLink } from './request-link.ts'
import { LinkForm } from './link-form.tsx'
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
        <Page heading={words.loading}>
          <Skeleton />
          <Skeleton shape="short" />
        </Page>
      )
    case 'open':
      return <LinkForm link={view.link} token={token} onDone={() => onDone(view.link)} />
    case 'done':
      return (
        <Page heading={words[view.link.purpose].done}>
          <p>{words[view.link.purpose].doneLead}</p>
          {view.link.realm !== 'staff' && (
            <p>
              <a href={`/app?mode=${view.link.realm}`}>{words.openWallet}</a>
            </p>
          )}
        </Page>
      )
    case 'refused':
      return view.refusal.code === 'LINK_DEAD' ? (
        <Page heading={words.ended}>
          <p>{words.endedLead}</p>
        </Page>
      ) : (
        <Page heading={words.failed} act={<Button onClick={onRetry}>{words.tryAgain}</Button>}>
          <Notice kind="error">{describeError(view.refusal)}</Notice>
        </Page>
      )
  }
}

type PageProps = { readonly heading: string; readonly act?: ReactNode; readonly children: ReactNode }

function Page({ heading, act, children }: PageProps) {
  return (
    <Sheet act={act}>
      <PageHeading>{heading}</PageHeading>
      {children}
    </Sheet>
  )
}

function statusOf(view: View): string {
  if (view.kind === 'loading') return words.loading
  return view.kind === 'done' ? words[view.link.purpose].doneLead : ''
}
