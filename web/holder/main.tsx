import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import '../ui/screen.css'
import './holder.css'
import { readLanguage } from '../ui/locale.ts'
import { HolderPage } from './holder-page.tsx'
import { isAppleTouch, listenForInstallOffer } from './install-offer.ts'
import { words } from './words.ts'

document.documentElement.lang = readLanguage()
document.title = words.name
// With a manifest, iOS would open its start_url. Without one, the icon opens this address with the code in it.
if (isAppleTouch()) document.querySelector('link[rel=manifest]')?.remove()
listenForInstallOffer()

// Only the code is in this font, and it comes with the voucher: the font loads meanwhile.
document.fonts.load('500 1em "Scrip Mono"').catch(() => undefined)

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <HolderPage />
    </StrictMode>,
  )
