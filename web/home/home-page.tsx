import type { ReactNode } from 'react'
import { PageFrame, PageHeading } from '../ui/page-frame.tsx'
import type { Site } from '../ui/site.ts'
import './home.css'
import { words } from './words.ts'

type PageLink = { readonly name: string; readonly lead: string; readonly address: string }

/** What runs at this address, and where to go. */
export function HomePage({ site }: { readonly site: Site }): ReactNode {
  const { platformName, demo } = site
  return (
    <PageFrame name={platformName} isTest={demo !== null} status="">
      <div className="home-lead">
        <PageHeading>{words.heading(platformName)}</PageHeading>
        <p>{words.lead}</p>
        {demo !== null && <p>{words.demo}</p>}
      </div>
      <ul className="home-links">
        {listLinks(demo).map(({ name, lead, address }) => (
          <li key={address}>
            <a className="home-link" href={address}>
              <span className="home-link-name">{name}</span>
              <span className="home-link-lead">{lead}</span>
            </a>
          </li>
        ))}
      </ul>
    </PageFrame>
  )
}

/** The demo is in test mode, and has a shop that takes invoices. */
function listLinks(demo: Site['demo']): readonly PageLink[] {
  const { wallet, voucher, invoice, dashboard, docs } = words.links
  return [
    { ...wallet, address: demo === null ? '/app' : '/app?mode=test' },
    { ...voucher, address: '/v' },
    { ...invoice, address: demo === null ? '/invoice' : `/invoice?to=${demo.merchantCode}&mode=test` },
    { ...dashboard, address: demo === null ? '/dashboard' : `/dashboard/${demo.merchantCode}/test` },
    { ...docs, address: '/docs' },
  ]
}
