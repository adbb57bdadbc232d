import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import '../ui/screen.css'
import './wallet.css'
import { readLanguage } from '../ui/locale.ts'
import { reloadAfterUpgrade } from '../ui/reload-after-upgrade.ts'
import { App } from './app.tsx'
import { Routes } from './route.ts'
import { showTheme } from '../ui/theme.ts'
import { words } from './words.ts'

document.documentElement.lang = readLanguage()
document.title = words.name
showTheme()
reloadAfterUpgrade()
if ('serviceWorker' in navigator)
  void navigator.serviceWorker.register('/wallet-worker.js', { scope: '/app' }).catch(() => undefined)

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <Routes>
        <App />
      </Routes>
    </StrictMode>,
  )
