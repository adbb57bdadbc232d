import { Button } from '../ui/button.tsx'
import { isAppleTouch, isOnHomeScreen, useInstallOffer } from './install-offer.ts'

/** Shown only where the browser can do it and has not done it yet. */
export function InstallHint({ opens }: { readonly opens: string }) {
  const install = useInstallOffer()
  if (isOnHomeScreen()) return null
  if (install !== null)
    return (
      <section className="keep" aria-labelledby="install-heading">
        <h2 id="install-heading">On the home screen</h2>
        <p className="soft">An icon brings you back with one tap. {opens}</p>
        <Button onClick={install}>Add to home screen</Button>
      </section>
    )
  if (!isAppleTouch()) return null
  return (
    <section className="keep" aria-labelledby="install-heading">
      <h2 id="install-heading">On the home screen</h2>
      <p className="soft">Tap Share, then Add to Home Screen. {opens}</p>
    </section>
  )
}
