import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import '../ui/screen.css'
import { readLanguage } from '../ui/locale.ts'
import { ComponentsPage } from './components-page.tsx'

document.documentElement.lang = readLanguage()

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <ComponentsPage />
    </StrictMode>,
  )
