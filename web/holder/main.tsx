import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import './holder.css'
import { HolderPage } from './holder-page.tsx'
import { isAppleTouch, listenForInstallOffer } from './install-offer.ts'

// With a manifest, iOS would open its start address. Without one, the icon keeps this address and the code in it.
if (isAppleTouch()) document.querySelector('link[rel=manifest]')?.remove()
listenForInstallOffer()

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <HolderPage />
    </StrictMode>,
  )
