import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import '../ui/screen.css'
import './dashboard.css'
import { readLanguage } from '../ui/locale.ts'
import { reloadAfterUpgrade } from '../ui/reload-after-upgrade.ts'
import { showTheme } from '../ui/theme.ts'
import { App } from './app.tsx'
import { Routes } from './shell/place.ts'
import { words } from './words/words.ts'
// Last, because it overrides the styles of all screens on paper.
import './print.css'

document.documentElement.lang = readLanguage()
document.title = words.name
showTheme()

reloadAfterUpgrade()

const page = document.getElementById('page')
if (page !== null)
  createRoot(page).render(
    <StrictMode>
      <Routes>
        <App />
      </Routes>
    </StrictMode>,
  )
