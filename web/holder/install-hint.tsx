import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { isAppleTouch, isOnHomeScreen, useInstallOffer } from './install-offer.ts'
import { words } from './words.ts'

/** Shown only in a browser that can add the page to the home screen and has not done so yet. */
export function InstallHint({ opens }: { readonly opens: string }): ReactNode {
  const install = useInstallOffer()
  if (isOnHomeScreen()) return null
  if (install === null && !isAppleTouch()) return null
  return (
    <section className="phone-option" aria-labelledby="install-heading">
      <h2 id="install-heading">{words.install.heading}</h2>
      <p className="soft">
        {install === null ? words.install.leadApple : words.install.lead} {opens}
      </p>
      {install !== null && <Button onClick={install}>{words.install.act}</Button>}
    </section>
  )
}
