import { SquarePlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { isAppleTouch, isOnHomeScreen, useInstallOffer } from './install-offer.ts'
import { PhoneOption } from './phone-option.tsx'
import { words } from './words.ts'

/** Shown only in a browser that can add the page to the home screen and has not done so yet. */
export function InstallHint({ opens }: { readonly opens: string }): ReactNode {
  const install = useInstallOffer()
  if (isOnHomeScreen()) return null
  if (install === null && !isAppleTouch()) return null
  const lead = install === null ? words.install.leadApple : words.install.lead
  return (
    <PhoneOption icon={SquarePlus} heading={words.install.heading} lead={`${lead} ${opens}`}>
      {install !== null && <Button onClick={install}>{words.install.act}</Button>}
    </PhoneOption>
  )
}
