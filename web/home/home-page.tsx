import { ChevronRight, Code, FileText, LayoutDashboard, type LucideIcon, Ticket, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageFrame, PageHeading } from '../ui/page-frame.tsx'
import type { Site } from '../ui/site.ts'
import './home.css'
import { words } from './words.ts'

type PageLink = { readonly icon: LucideIcon; readonly name: string; readonly lead: string; readonly address: string }

/** What runs at this address, and where to go. */
export function HomePage({ site }: { readonly site: Site }): ReactNode {
  const { platformName, demo } = site
  return (
    <PageFrame name={platformName} isTest={demo !== null} status="">
      <div className="home-lead">
        <PageHeading>{words.heading(platformName)}</PageHeading>
        <p>{words.lead}</p>
      </div>
      {demo !== null && <Notice>{words.demo}</Notice>}
      <ul className="home-links">
        {listLinks(demo).map(({ icon, name, lead, address }) => (
          <li key={address}>
            <a className="home-link" href={address}>
              <IconTile icon={icon} ink="green" shape="square" />
              <span>
                <span className="home-link-name">{name}</span>
                <span className="home-link-lead">{lead}</span>
              </span>
              <ChevronRight aria-hidden="true" />
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
    { ...wallet, icon: Wallet, address: demo === null ? '/app' : '/app?mode=test' },
    { ...voucher, icon: Ticket, address: '/v' },
    { ...invoice, icon: FileText, address: demo === null ? '/invoice' : `/invoice?to=${demo.merchantCode}&mode=test` },
    {
      ...dashboard,
      icon: LayoutDashboard,
      address: demo === null ? '/dashboard' : `/dashboard/${demo.merchantCode}/test`,
    },
    { ...docs, icon: Code, address: '/docs' },
  ]
}
