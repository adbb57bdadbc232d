import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import '../ui/screen.css'
import { readLanguage } from '../ui/locale.ts'
import { LinkPage } from './link-page.tsx'
import { words } from './words.ts'

document.documentElement.lang = readLanguage()
document.title = words.title

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <LinkPage />
    </StrictMode>,
  )
