import { useEffect, useState, type ReactNode } from 'react'
import { PageFrame, PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { MerchantLink, Mode } from './request-invoice.ts'
import { FollowInvoice } from './follow-invoice.tsx'
import { NewInvoice } from './new-invoice.tsx'
import { words } from './words.ts'

type Place = { readonly token: string } | { readonly link: MerchantLink } | null

/**
 * Opened by two kinds of links. The public one names a merchant, `?to=CODE`, and opens a form for a new invoice. The private one has
 * a token in its fragment, which browsers do not send to the server, and shows the state of an invoice.
 */
export function InvoicePage(): ReactNode {
  const [place, setPlace] = useState(readPlace)
  const [mode, setMode] = useState<Mode>('live')
  const [status, setStatus] = useState('')

  useEffect(() => {
    const follow = () => setPlace(readPlace())
    addEventListener('popstate', follow)
    addEventListener('hashchange', follow)
    return () => {
      removeEventListener('popstate', follow)
      removeEventListener('hashchange', follow)
    }
  }, [])

  return (
    <PageFrame name={words.name} isTest={mode === 'test'} status={status}>
      {place === null && (
        <Sheet>
          <PageHeading>{words.linkIncomplete.heading}</PageHeading>
          <p>{words.linkIncomplete.lead}</p>
        </Sheet>
      )}
      {place !== null && 'token' in place && (
        <FollowInvoice key={place.token} token={place.token} onMode={setMode} onStatus={setStatus} />
      )}
      {place !== null && 'link' in place && (
        <NewInvoice
          link={place.link}
          onMode={setMode}
          onDone={(token) => {
            // A new history entry: the back button leads to an empty form.
            history.pushState(null, '', `${location.pathname}#${token}`)
            setPlace({ token })
          }}
        />
      )}
    </PageFrame>
  )
}

function readPlace(): Place {
  const token = location.hash.slice(1)
  if (token !== '') return { token }
  const query = new URLSearchParams(location.search)
  const merchantCode = query.get('to') ?? ''
  if (merchantCode === '') return null
  return { link: { merchantCode, mode: query.get('mode') === 'test' ? 'test' : 'live' } }
}
