import { type LucideIcon, MapPin, Palette, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../../ui/avatar.tsx'
import { Card } from '../../ui/card.tsx'
import { Screen } from '../shell/frame.tsx'
import { type Address, Link } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { Settings as ShopSettings } from '../shell/responses.ts'
import { Loaded, useShop } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { settingWords } from '../words/setting-words.ts'
import { words } from '../words/words.ts'
import { Fees } from './fees.tsx'
import { Notifications } from './notifications.tsx'
import { Profile } from './profile.tsx'
import { settingsPath } from './settings-path.ts'
import './settings.css'

/** The settings of the shop, or the pages that have them. Accountants read; only the owner changes. */
export function Settings(): ReactNode {
  const known = useKnown<ShopSettings>(settingsPath)
  const { merchant } = useShop()
  const isOwner = merchant.role === 'owner'
  return (
    <Screen heading={settingWords.heading} lead={settingWords.lead}>
      <Loaded known={known}>
        {(settings) => (
          <div className="cards">
            <Profile settings={settings} isOwner={isOwner} />
            <Fees isOwner={isOwner} homeCurrency={settings.homeCurrency} />
            <Notifications settings={settings} isOwner={isOwner} />
            <Leads
              icon={ShieldCheck}
              heading={settingWords.limits}
              lead={settingWords.limitsLead}
              to="/approvals"
              label={settingWords.openLimits}
            />
            {isOwner && (
              <>
                <Leads
                  icon={Palette}
                  heading={words.brand.heading}
                  lead={words.brand.lead}
                  to="/settings/brand"
                  label={words.brand.change}
                />
                <Leads
                  icon={MapPin}
                  heading={selling.locations.heading}
                  lead={selling.locations.lead}
                  to="/settings/locations"
                  label={selling.locations.manage}
                />
              </>
            )}
          </div>
        )}
      </Loaded>
    </Screen>
  )
}

type LeadsProps = {
  readonly icon: LucideIcon
  readonly heading: string
  readonly lead: string
  readonly to: Address
  readonly label: string
}

/** A card for settings that have a page of their own. */
function Leads({ icon, heading, lead, to, label }: LeadsProps) {
  return (
    <Card heading={heading} act={<IconTile icon={icon} shape="square" size="s" />}>
      <p className="soft">{lead}</p>
      <div className="acts settings-acts">
        <Link className="button" data-kind="quiet" to={to}>
          {label}
        </Link>
      </div>
    </Card>
  )
}
